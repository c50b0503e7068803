// What is worth knowing of a session besides how it stands: a word each, in the order in which it matters.

import { verdictWord } from "./action_words.js";
import { TEXT } from "./language.js";
import { say } from "./say.js";

/** `isHeavy`: it changes something, somebody has to decide, its evidence is limited, or its chain may be the wrong one.
 *  @typedef {{ word: string, title: string, isHeavy: boolean }} Mark */

/** @param {import("../state/list_row.js").Row} row @returns {Mark[]} */
export function marksOf(row) {
  const often = row.repeats + 1;
  /** @type {[boolean, string, string][]} */
  const heavy = [
    [row.approvalsWaiting > 0, TEXT.marks.waits, say(TEXT.marks.waitsTitle, { count: row.approvalsWaiting })],
    [row.partialReason !== "", TEXT.marks.partial, say(TEXT.marks.partialTitle, { why: row.partialReason })],
    [row.actionVerdict !== "", verdictWord(row.actionVerdict), TEXT.marks.actionTitle],
    [row.changed > 0, TEXT.marks.changed, say(TEXT.marks.changedTitle, { count: row.changed })],
    [row.evidenceLimits.length > 0, TEXT.marks.limited, row.evidenceLimits.join("\n")],
    [row.isUnmatched, TEXT.marks.unmatched, say(TEXT.marks.unmatchedTitle, { chain: row.chain })],
  ];
  /** @type {[boolean, string, string][]} */
  const light = [
    [row.rating !== null, row.rating === null ? "" : TEXT.review.ratings[row.rating], TEXT.marks.ratingTitle],
    [row.assignee !== "", row.assignee, TEXT.marks.assigneeTitle],
    [row.score !== null, `${row.score}/100`, TEXT.marks.scoreTitle],
    [row.fallbacks > 0 || row.provider !== null, TEXT.marks.otherModel, modelTitle(row)],
    [row.repeats > 0, say(TEXT.marks.repeats, { count: often }), say(TEXT.marks.repeatsTitle, { count: often })],
    [row.parentId !== null, TEXT.marks.again, TEXT.marks.againTitle],
    [row.scripted, TEXT.marks.scripted, TEXT.marks.scriptedTitle],
  ];
  const labels = row.labels.map((label) => ({ word: label, title: TEXT.marks.labelTitle, isHeavy: false }));
  return [...marks(heavy, true), ...labels, ...marks(light, false)];
}

/** @param {[boolean, string, string][]} candidates @param {boolean} isHeavy @returns {Mark[]} */
function marks(candidates, isHeavy) {
  return candidates.filter(([holds]) => holds).map(([, word, title]) => ({ word, title, isHeavy }));
}

/** @param {import("../state/list_row.js").Row} row */
function modelTitle({ fallbacks, provider }) {
  return fallbacks > 0 ? TEXT.marks.fallbackTitle : say(TEXT.marks.chosenModelTitle, { provider: provider ?? "" });
}
