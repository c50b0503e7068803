// What a stage that acts has done, in words. It is counted from calls: nothing here comes from a model.

import { factLine } from "./formats.js";
import { TEXT } from "./language.js";
import { say } from "./say.js";

/** @typedef {import("tarsy-api").components["schemas"]["ActionOutcome"]} ActionOutcome */

/** @type {Record<string, string>} */
const VERDICTS = TEXT.actions.verdicts;
/** @type {Record<string, string>} */
const HELPED = TEXT.actions.helped;
/** @type {Record<string, string>} */
const TONES = { acted: "warning", blocked: "bad" };

/** @param {string} verdict */
export function verdictWord(verdict) {
  return Object.hasOwn(VERDICTS, verdict) ? String(VERDICTS[verdict]) : verdict;
}

/** The class of a colour. It only repeats what the word says.
 *  @param {string} verdict */
export function verdictTone(verdict) {
  return Object.hasOwn(TONES, verdict) ? String(TONES[verdict]) : "plain";
}

/** The numbers of its calls, who approved them, and whether it helped.
 *  @param {ActionOutcome} action */
export function actionFacts(action) {
  const { done = 0, failed = 0, denied = 0, unknown = 0, proposed = 0, helped = "", calls = [] } = action;
  const people = [...new Set(calls.map((call) => call.approved_by ?? ""))].filter(Boolean).join(", ");
  return factLine([
    done > 0 ? say(TEXT.actions.done, { count: done }) : "",
    failed > 0 ? say(TEXT.actions.failed, { count: failed }) : "",
    denied > 0 ? say(TEXT.actions.denied, { count: denied }) : "",
    unknown > 0 ? say(TEXT.actions.unknown, { count: unknown }) : "",
    proposed > 0 ? say(TEXT.actions.proposed, { count: proposed }) : "",
    people === "" ? "" : say(TEXT.actions.approvedBy, { people }),
    Object.hasOwn(HELPED, helped) ? String(HELPED[helped]) : "",
  ]);
}
