// Budgets of a session that are used up or nearly so, by the last that its story says of each.

import { inOrder } from "./outcome.js";

/** @typedef {import("./session_state.js").Session} Session
 *  @typedef {{ itemId: string, text: string, isUsedUp: boolean, percent: number }} MetBudget */

/** The one that is worth telling first: one that is used up, or else the one of which most is used; null where an
 *  extension, or another day, followed each. A warning that a model has no price is about no amount.
 *  @param {Session} session
 *  @returns {MetBudget | null} */
export function budgetMet(session) {
  /** @type {Map<string, MetBudget>} */
  const met = new Map();
  for (const { id, content, metadata } of inOrder(session, ({ type }) => type === "budget")) {
    const { budget_id: budget = "", event, spent = 0, limit = 0, unpriced } = metadata.budget ?? {};
    const { outcome, day_over: isDayOver = false } = metadata.budget ?? {};
    if (event === "budget.decided" && (outcome === "extended" || isDayOver)) met.delete(budget);
    else if (
      event === "budget.reached" ||
      (event === "budget.warned" && unpriced !== true && !met.get(budget)?.isUsedUp)
    ) {
      const percent = limit > 0 ? Math.floor((100 * spent) / limit) : 100;
      met.set(budget, { itemId: id, text: content, isUsedUp: event === "budget.reached", percent });
    }
  }
  const [first = null] = [...met.values()].sort(
    (one, other) => Number(other.isUsedUp) - Number(one.isUsedUp) || other.percent - one.percent,
  );
  return first;
}
