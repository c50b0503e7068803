// How the outcome of a tool call is said.

import { factLine } from "./formats.js";
import { TEXT } from "./language.js";
import { say } from "./say.js";
import { duration, size } from "./wording.js";

/** @typedef {import("../state/item_types.js").Item} Item */

/** @type {Record<string, string>} */
const OUTCOMES = TEXT.call.outcomes;
/** @type {Record<string, string>} */
const STATES = {
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
  return Object.hasOwn(STATES, outcome) ? String(STATES[outcome]) : status;
}

/** Undefined while there is none. @param {string | undefined} outcome */
export function outcomeWord(outcome) {
  if (outcome == null) return undefined;
  return Object.hasOwn(OUTCOMES, outcome) ? OUTCOMES[outcome] : outcome.replaceAll("_", " ");
}

/** @param {Item} item */
export function outcomeFacts({ metadata: { lines, size: bytes, duration_ms: took } }) {
  return factLine([
    isNumber(lines) ? say(TEXT.counts.lines, { count: lines }) : "",
    isNumber(bytes) ? size(bytes) : "",
    isNumber(took) ? duration(took) : "",
  ]);
}

/** Of how many lines only the beginning is shown. @param {number} count */
export function beginningWords(count) {
  return say(TEXT.call.beginning, { lines: say(TEXT.counts.lines, { count }) });
}

/** @param {unknown} value
 *  @returns {value is number} */
function isNumber(value) {
  return typeof value === "number" && Number.isFinite(value);
}

/** What a call is for that no agent reads; empty for all others.
 *  @param {import("../state/item_types.js").Item} item */
export function roleOf({ metadata }) {
  if (metadata.dry_run_of) return TEXT.call.dryRun;
  return metadata.verifies ? TEXT.call.verification : "";
}
