// How it is worded what is done with many sessions at once.

import { TEXT } from "./language.js";
import { say } from "./say.js";

/** @param {"cancel" | "rerun"} act @param {number} count */
export function bulkQuestion(act, count) {
  if (act === "rerun") {
    return { question: say(TEXT.bulk.rerunQuestion, { count }), yes: TEXT.bulk.rerunYes, no: TEXT.confirmation.no };
  }
  return { question: say(TEXT.bulk.cancelQuestion, { count }), yes: TEXT.bulk.cancelYes, no: TEXT.cancelling.no };
}

/** @param {number} answered @param {number} failed */
export function bulkResult(answered, failed) {
  const count = answered - failed;
  if (failed === 0) return say(TEXT.bulk.asked, { count });
  return say(TEXT.bulk.askedOfSome, { count, refusals: say(TEXT.bulk.refusals, { count: failed }) });
}
