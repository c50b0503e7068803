// How the outcome of a tool call is said.

import { counted, duration, size } from "./wording.js";

/** @typedef {import("../state/item_types.js").Item} Item */

/** @type {Record<string, string>} */
const OUTCOMES = {
  ok: "completed",
  tool_error: "failed",
  unavailable: "failed",
  rejected: "failed",
  unknown: "failed",
  cancelled: "cancelled",
};

/** The state whose colour it has.
 *  @param {Item} item */
export function outcomeStatus({ status, metadata: { outcome = "" } }) {
  return Object.hasOwn(OUTCOMES, outcome) ? String(OUTCOMES[outcome]) : status;
}

/** @param {Item} item */
export function outcomeFacts({ metadata: { lines, size: bytes, duration_ms: took } }) {
  const facts = [];
  if (isNumber(lines)) facts.push(counted(lines, "line"));
  if (isNumber(bytes)) facts.push(size(bytes));
  if (isNumber(took)) facts.push(duration(took));
  return facts.join(" · ");
}

/** @param {unknown} value
 *  @returns {value is number} */
function isNumber(value) {
  return typeof value === "number" && Number.isFinite(value);
}
