// Which items say what stands elsewhere on the page already: nothing stands twice.

import { isOfReply } from "./chat_state.js";

/** @typedef {import("./session_state.js").Session} Session
 *  @typedef {import("./item_state.js").Item} Item */

/** How an item stands where it is: as it is; folded, as the same text stands above (`above`: by this name); or not at
 *  all, as the same text stands in another item.
 *  @typedef {{ above: string, isHidden: boolean, isConclusion: boolean }} Standing */

const CONCLUSIONS = new Set(["final_analysis", "executive_summary"]);

/** A reply may say what the investigation said: it is a reply all the same.
 *  @param {Session} session
 *  @param {Item} item
 *  @returns {Standing} */
export function standingOf(session, item) {
  if (isConclusionOfResponse(session, item)) return { above: "", isHidden: true, isConclusion: true };
  const isConclusion = CONCLUSIONS.has(item.type) || isLastWord(session, item);
  if (isOfReply(session, item)) return { above: "", isHidden: false, isConclusion };
  const above = nameAbove(session, item);
  return { above, isHidden: above !== "" && CONCLUSIONS.has(item.type), isConclusion };
}

/** The final analysis, or the summary, of the whole session. A response that only happens to be the same stays.
 *  @param {Session} session
 *  @param {Item} item */
function nameAbove(session, item) {
  if (item.type === "llm_response" && !isLastResponse(session, item)) return "";
  if (isSame(session.finalAnalysis, item)) return "final analysis";
  return isSame(session.executiveSummary, item) ? "executive summary" : "";
}

/** It may have been cut for display.
 *  @param {string} above
 *  @param {Item} item */
function isSame(above, item) {
  const whole = above.trim();
  const text = item.content.trim();
  if (whole === "" || text === "" || item.status === "streaming") return false;
  return item.metadata.display_cut === true ? whole.startsWith(text) : whole === text;
}

/** Whether the agent's analysis stands in its last response.
 *  @param {Session} session
 *  @param {Item} item */
function isConclusionOfResponse(session, item) {
  if (!CONCLUSIONS.has(item.type)) return false;
  const last = lastResponse(session, item.executionId);
  return last?.content.trimEnd().endsWith(item.content.trimEnd()) ?? false;
}

/** Whether an agent's analysis was taken from this response.
 *  @param {Session} session
 *  @param {Item} item */
function isLastWord(session, item) {
  if (item.type !== "llm_response" || item.status !== "completed") return false;
  if (!isLastResponse(session, item)) return false;
  const text = item.content.trimEnd();
  for (const one of session.items.values()) {
    if (CONCLUSIONS.has(one.type) && one.executionId === item.executionId) {
      return text.endsWith(one.content.trimEnd());
    }
  }
  return false;
}

/** @param {Session} session
 *  @param {Item} item */
function isLastResponse(session, item) {
  return lastResponse(session, item.executionId)?.id === item.id;
}

/** @param {Session} session
 *  @param {string | null} executionId
 *  @returns {Item | null} */
function lastResponse(session, executionId) {
  /** @type {Item | null} */
  let last = null;
  for (const one of session.items.values()) {
    if (one.type !== "llm_response" || one.executionId !== executionId) continue;
    if (last === null || one.sequence > last.sequence) last = one;
  }
  return last;
}
