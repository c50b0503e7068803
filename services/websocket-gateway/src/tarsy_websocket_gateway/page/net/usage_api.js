// The REST API about tokens, their cost, their budgets, and about how sessions ended.

import { ask } from "./api.js";

/** @typedef {import("tarsy-api").components["schemas"]["UsageReport"]} UsageReport */
/** @typedef {import("tarsy-api").components["schemas"]["BudgetReport"]} BudgetReport */

/** @typedef {import("tarsy-api").components["schemas"]["OutcomeReport"]} OutcomeReport */
/** @typedef {import("tarsy-api").components["schemas"]["PriceHistory"]} PriceHistory */

/** `from` and `to`: the first and the last day, in UTC.
 *  @param {{ by: string, from: string, to: string }} wanted
 *  @returns {Promise<UsageReport>} */
export function readUsage({ by, from, to }) {
  return ask(`/api/v1/usage?${new URLSearchParams({ by, from, to })}`);
}

/** The budgets that are configured, and what is spent of them today.
 *  @returns {Promise<BudgetReport>} */
export function readBudgets() {
  return ask("/api/v1/budgets");
}

/** @param {{ from: string, to: string }} wanted
 *  @returns {Promise<OutcomeReport>} */
export function readOutcomes({ from, to }) {
  return ask(`/api/v1/usage/outcomes?${new URLSearchParams({ from, to })}`);
}

/** Of the models that were asked in these days. @param {{ from: string, to: string }} wanted
 *  @returns {Promise<PriceHistory>} */
export function readPrices({ from, to }) {
  return ask(`/api/v1/usage/prices?${new URLSearchParams({ from, to })}`);
}
