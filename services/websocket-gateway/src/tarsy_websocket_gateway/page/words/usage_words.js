// How tokens and costs are said.

import { compactNumber, money, number } from "./formats.js";
import { TEXT } from "./language.js";
import { say } from "./say.js";

/** @typedef {import("tarsy-api").components["schemas"]["UsageTotals"]} UsageTotals */

const EXACT_BELOW = 10_000;

/** @param {number} count */
export function tokens(count) {
  return count < EXACT_BELOW ? number(count) : compactNumber(count);
}

/** @param {Pick<UsageTotals, "cost" | "cost_completeness">} usage */
export function costWords({ cost, cost_completeness: completeness }) {
  if (cost === null || completeness === "none") return TEXT.usage.noPrice;
  return completeness === "partial" ? say(TEXT.usage.atLeast, { cost: money(cost) }) : money(cost);
}

/** What an agent has cost by itself. Nothing while no model is known to have been asked.
 *  @param {{ cost?: number | null, cost_completeness?: UsageTotals["cost_completeness"], unpriced_calls?: number }} agent */
export function agentCost({ cost = null, cost_completeness: completeness = "none", unpriced_calls: unpriced = 0 }) {
  if (cost === null) return unpriced > 0 ? TEXT.stages.costUnknown : "";
  return costWords({ cost, cost_completeness: completeness });
}

/** @param {string} key */
export function keyWords(key) {
  return key === "" ? TEXT.usage.notNamed : key;
}

/** @param {readonly string[]} models */
export function unpricedWords(models) {
  return models.length === 0 ? "" : say(TEXT.usage.unpriced, { models: models.map(keyWords).join(", ") });
}

/** @param {UsageTotals} total
 *  @returns {[string, string, string][]} name, value, what is part of it */
export function totalFacts(total) {
  const cached = tokens(total.cached_input_tokens);
  return [
    [TEXT.usage.cost, costWords(total), ""],
    [TEXT.usage.sessions, number(total.sessions), say(TEXT.usage.answers, { count: total.calls })],
    [TEXT.usage.input, tokens(total.input_tokens), say(TEXT.usage.cached, { tokens: cached })],
    [
      TEXT.usage.output,
      tokens(total.output_tokens),
      say(TEXT.usage.thinking, { tokens: tokens(total.thinking_tokens) }),
    ],
  ];
}
