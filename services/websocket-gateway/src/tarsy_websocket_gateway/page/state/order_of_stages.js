// In which order stages are shown: as they began, but a synthesis under the stage that it joins.

import { nestAgents } from "./agent_tree.js";
import { isReply } from "./chat_state.js";

/** @typedef {import("./session_state.js").Session} Session
 *  @typedef {import("./session_state.js").Stage} Stage
 *  @typedef {import("./session_state.js").Execution} Execution */

/** Those of the investigation that stand on their own.
 *  @param {Session} session */
export function inOrder(session) {
  const all = [...session.stages.values()];
  return sorted(all.filter((stage) => !isReply(stage) && !isUnderAnother(session, stage)));
}

/** @param {Session} session
 *  @param {Stage} stage */
export function synthesesOf(session, stage) {
  const all = [...session.stages.values()];
  return sorted(all.filter((one) => one.referenced_stage_id === stage.stage_id && isUnderAnother(session, one)));
}

/** All of a stage, each before those that it has sent.
 *  @param {Session} session
 *  @param {string} stageId
 *  @returns {Execution[]} */
export function agentsOf(session, stageId) {
  return nestAgents(byIndex(session, (one) => one.stage_id === stageId)).map(({ agent }) => agent);
}

/** Those that nobody has sent.
 *  @param {Session} session
 *  @param {string} stageId */
export function ownAgentsOf(session, stageId) {
  return byIndex(session, (one) => one.stage_id === stageId && !one.parent_execution_id);
}

/** @param {Session} session
 *  @param {Execution} agent */
export function subAgentsOf(session, agent) {
  return byIndex(session, (one) => one.parent_execution_id === agent.execution_id);
}

/** @param {Session} session
 *  @param {(agent: Execution) => boolean} fits */
function byIndex(session, fits) {
  return [...session.executions.values()].filter(fits).sort((one, other) => one.agent_index - other.agent_index);
}

/** @param {Session} session
 *  @param {Stage} stage */
function isUnderAnother(session, stage) {
  const other = stage.referenced_stage_id ?? null;
  return stage.stage_type === "synthesis" && other !== null && other !== stage.stage_id && session.stages.has(other);
}

/** @param {Stage[]} stages */
function sorted(stages) {
  return stages.sort((one, other) => one.stage_index - other.stage_index);
}
