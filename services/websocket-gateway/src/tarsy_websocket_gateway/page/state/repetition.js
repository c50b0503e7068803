// Which items say what stands elsewhere on the page already: nothing stands twice.

import { isOfReply } from "./chat_state.js";
import { CONCLUSIONS, lastWordOf } from "./last_words.js";

/** @typedef {import("./session_state.js").Session} Session
 *  @typedef {import("./item_types.js").Item} Item */

const SKILLS = "skill_loaded";

/** How an item stands where it is: as it is; folded, as the same text stands above (`above`: in which of the two); or not at
 *  all, as the same text stands in another item.
 *  @typedef {{ above: "" | "analysis" | "summary", isHidden: boolean, isConclusion: boolean }} Standing */

/** A reply may say what the investigation said: it is a reply all the same.
 *  @param {Session} session
 *  @param {Item} item
 *  @returns {Standing} */
export function standingOf(session, item) {
  const { response, conclusion } = lastWordOf(session.lastWords, item);
  const isSource = isMadeOf(conclusion, response);
  if (isSource && CONCLUSIONS.has(item.type)) return { above: "", isHidden: true, isConclusion: true };
  const isConclusion = CONCLUSIONS.has(item.type) || (isSource && item.id === response?.id);
  if (isOfReply(session, item)) return { above: "", isHidden: isSaidBefore(session, item), isConclusion };
  // A response that only happens to be the same stays.
  const isOther = item.type === "llm_response" && item.id !== response?.id;
  const above = isOther ? "" : sameAbove(session, item);
  return { above, isHidden: above !== "" && CONCLUSIONS.has(item.type), isConclusion };
}

/** Whether the skills of this reply are those of the reply before it: they are shown once, and when they change.
 *  @param {Session} session
 *  @param {Item} item */
function isSaidBefore(session, item) {
  if (item.type !== SKILLS) return false;
  /** @type {Item | null} */
  let last = null;
  for (const one of session.items.values()) {
    if (one.type !== SKILLS || one.sequence >= item.sequence || !isOfReply(session, one)) continue;
    if (last === null || one.sequence > last.sequence) last = one;
  }
  return last?.content === item.content;
}

/** The final analysis, or the summary, of the whole session, if this is the same text. Empty when it is not.
 *  @param {Session} session
 *  @param {Item} item
 *  @returns {Standing["above"]} */
export function sameAbove(session, item) {
  if (isSame(session.finalAnalysis, item)) return "analysis";
  return isSame(session.executiveSummary, item) ? "summary" : "";
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

/** Whether an agent's conclusion is the end of its last response.
 *  @param {Item | null} conclusion
 *  @param {Item | null} response */
function isMadeOf(conclusion, response) {
  const text = conclusion?.content.trim() ?? "";
  return text !== "" && response !== null && response.content.trimEnd().endsWith(text);
}
