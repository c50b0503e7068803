// The tone of a verdict: it follows how sure the analysis is, and is no good news where the evidence falls short.

import { isLimited } from "../words/wording.js";
import { isAfterTheEnd } from "./chat_state.js";

/** @typedef {import("./session_state.js").Session} Session
 *  @typedef {"good" | "warning" | "bad" | "plain"} Tone */

const TONES = /** @type {const} */ ({ high: "good", medium: "warning", low: "bad" });

/** @param {Session} session
 *  @param {import("./confidence.js").Confidence | null} confidence
 *  @returns {Tone} */
export function verdictTone(session, confidence) {
  if (session.status === "failed" || session.status === "timed_out") return "bad";
  if (session.status === "cancelled") return "plain";
  const said = confidence === null ? "plain" : TONES[confidence.level];
  return fallsShort(session) && said !== "bad" ? "warning" : said;
}

/** Whether an agent had no tools, hit its limit, or ended with a part.
 *  @param {Session} session */
export function fallsShort(session) {
  return isLimited(session) || [...session.executions.values()].some((agent) => isCut(session, agent));
}

/** @param {Session} session
 *  @param {import("./session_state.js").Execution} agent */
function isCut(session, { stage_id: stage, forced_conclusion: forced, partial_reason: partial }) {
  return (forced === true || Boolean(partial)) && !isAfterTheEnd(session.stages.get(stage));
}
