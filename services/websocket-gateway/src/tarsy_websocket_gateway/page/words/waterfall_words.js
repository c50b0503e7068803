// What the bars of a waterfall are called.

import { duration } from "./wording.js";

/** @typedef {import("../state/waterfall.js").Bar} Bar
 *  @typedef {import("../state/waterfall.js").Row} Row */

/** @type {Record<import("../state/waterfall.js").Kind | "failure", string>} */
export const KIND_WORDS = {
  queue: "in the queue",
  llm: "asks the model",
  tool: "tool runs",
  change: "tool that changes something",
  person: "waits for a yes",
  turn: "waits for its turn at a gateway",
  pause: "waits before it asks again",
  failure: "failed",
};

/** @param {Row} row */
export function rowName({ stage, name }) {
  return stage === "" ? name : `${stage} · ${name}`;
}

/** @param {Row} row
 *  @param {Bar} bar
 *  @param {number} now */
export function barWords(row, { kind, from, until, name, hasFailed }, now) {
  const took = until === null ? `${duration(Math.max(0, now - from))} so far` : duration(until - from);
  const parts = [rowName(row), KIND_WORDS[kind], name, took, hasFailed ? KIND_WORDS.failure : ""];
  return parts.filter(Boolean).join(" · ");
}
