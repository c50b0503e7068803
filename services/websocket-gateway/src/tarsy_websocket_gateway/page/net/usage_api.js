// The REST API about tokens, their cost, and the budgets of them.

import { ask } from "./api.js";

/** @typedef {import("tarsy-api").components["schemas"]["UsageReport"]} UsageReport */
/** @typedef {import("tarsy-api").components["schemas"]["BudgetReport"]} BudgetReport */

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
