// How the stages of a session are said in short.

import { isAfterTheEnd } from "../state/chat_state.js";
import { TEXT } from "./language.js";
import { say } from "./say.js";
import { hasEnded, statusWord } from "./wording.js";

/** @typedef {import("../state/session_state.js").Session} Session
 *  @typedef {import("../state/session_state.js").Stage} Stage */

/** @param {Stage[]} stages */
export function outlineSummary(stages) {
  const open = stages.find((stage) => !hasEnded(stage.status));
  if (open === undefined) return say(TEXT.stages.ended, { count: stages.length });
  return say(TEXT.stages.open, { stage: open.stage_name, status: statusWord(open.status) });
}

/** How many stages have not begun: of those that there are if all goes well.
 *  @param {Session} session
 *  @param {{ total_stages: number } | null} detail */
export function stagesToCome(session, detail) {
  const begun = [...session.stages.values()].filter((stage) => !isAfterTheEnd(stage)).length;
  return Math.max(0, (detail?.total_stages ?? 0) - begun);
}
