// How tokens and costs are said.

import { counted } from "./wording.js";

/** @typedef {import("tarsy-api").components["schemas"]["UsageTotals"]} UsageTotals */

export const WAY_NAMES = { day: "By day", chain: "By chain", model: "By model" };
export const KEY_NAMES = { day: "Day (UTC)", chain: "Chain", model: "Model" };
export const NO_USAGE = "No model was asked in these days.";

const EXACT_BELOW = 10_000;
const COMPACT = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });
const DOLLARS = new Intl.NumberFormat("en", { style: "currency", currency: "USD" });

/** @param {number} count */
export function tokens(count) {
  return count < EXACT_BELOW ? count.toLocaleString("en") : COMPACT.format(count);
}

/** @param {Pick<UsageTotals, "cost" | "cost_completeness">} usage */
export function costWords({ cost, cost_completeness: completeness }) {
  if (cost === null || completeness === "none") return "no price";
  const amount = cost > 0 && cost < 0.01 ? "under $0.01" : DOLLARS.format(cost);
  return completeness === "partial" ? `at least ${amount}` : amount;
}

/** @param {string} key */
export function keyWords(key) {
  return key === "" ? "not named" : key;
}

/** @param {readonly string[]} models */
export function unpricedWords(models) {
  return models.length === 0 ? "" : `Not in the cost, as they have no price: ${models.map(keyWords).join(", ")}.`;
}

/** @param {UsageTotals} total
 *  @returns {[string, string, string][]} name, value, what is part of it */
export function totalFacts(total) {
  return [
    ["Cost", costWords(total), ""],
    ["Sessions", total.sessions.toLocaleString("en"), `${counted(total.calls, "answer")} of models`],
    ["Input tokens", tokens(total.input_tokens), `${tokens(total.cached_input_tokens)} from the cache`],
    ["Output tokens", tokens(total.output_tokens), `${tokens(total.thinking_tokens)} of thinking`],
  ];
}
