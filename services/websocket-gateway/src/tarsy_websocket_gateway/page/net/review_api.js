// The REST API about reviews of people, scores of judges, and how well these agree.

import { ask } from "./api.js";

/** @typedef {import("tarsy-api").components["schemas"]} Schemas
 *  @typedef {"claim" | "unclaim" | "reassign" | "complete" | "acknowledge" | "reopen" | "feedback"} ReviewAction
 *  @typedef {{ action: ReviewAction, rating?: string, cause?: string, note?: string, expected_status?: string }} ReviewOrder */

/** The same key again is the same act.
 *  @param {string} id @param {ReviewOrder} order @param {string} key @returns {Promise<{ message: string }>} */
export function reviewSession(id, order, key) {
  return ask(`${sessionPath(id)}/review`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "Idempotency-Key": key },
    body: JSON.stringify(order),
  });
}

/** @param {string} id @returns {Promise<Schemas["SessionScores"]>} */
export function readScores(id) {
  return ask(`${sessionPath(id)}/score`);
}

/** The same key again is the same wish.
 *  @param {string} id @param {string} key @returns {Promise<Schemas["ScoreTaken"]>} */
export function judgeSession(id, key) {
  return ask(`${sessionPath(id)}/score`, { method: "POST", headers: { "Idempotency-Key": key } });
}

/** `from` and `to`: the first and the last day, in UTC.
 *  @param {{ from: string, to: string }} wanted @returns {Promise<Schemas["CalibrationReport"]>} */
export function readCalibration({ from, to }) {
  return ask(`/api/v1/calibration?${new URLSearchParams({ from, to })}`);
}

/** @param {string} id */
function sessionPath(id) {
  return `/api/v1/sessions/${encodeURIComponent(id)}`;
}
