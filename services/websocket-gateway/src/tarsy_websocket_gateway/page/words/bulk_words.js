// How it is worded what is done with many sessions at once.

import { counted } from "./wording.js";

/** @param {"cancel" | "rerun"} act @param {number} count */
export function bulkQuestion(act, count) {
  const what = counted(count, "session");
  if (act === "cancel") return { question: `Cancel ${what}?`, yes: "Yes, cancel", no: "No, go on" };
  return { question: `Run ${what} again?`, yes: "Yes, run again", no: "No" };
}

/** @param {number} answered @param {number} failed */
export function bulkResult(answered, failed) {
  const done = counted(answered - failed, "session");
  return failed === 0 ? `Asked of ${done}.` : `Asked of ${done}; ${counted(failed, "refusal")}.`;
}
