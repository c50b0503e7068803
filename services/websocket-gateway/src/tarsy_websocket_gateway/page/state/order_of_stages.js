// In which order stages are shown: as they began, but a synthesis under the stage that it joins.

import { isReply } from "./chat_state.js";

/** Those of the investigation that stand on their own. */
export function inOrder(session) {
  const all = [...session.stages.values()];
  return sorted(all.filter((stage) => !isReply(stage) && !isUnderAnother(session, stage)));
}

/** Those in which questions are answered. */
export function repliesOf(session) {
  return sorted([...session.stages.values()].filter(isReply));
}

export function synthesesOf(session, stage) {
  const all = [...session.stages.values()];
  return sorted(all.filter((one) => one.referenced_stage_id === stage.stage_id && isUnderAnother(session, one)));
}

function isUnderAnother(session, stage) {
  const other = stage.referenced_stage_id ?? null;
  return stage.stage_type === "synthesis" && other !== stage.stage_id && session.stages.has(other);
}

function sorted(stages) {
  return stages.sort((one, other) => one.stage_index - other.stage_index);
}
