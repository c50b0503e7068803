// How budgets, their limits, and what is spent of them are said.

import { money, number, wholeTime } from "./formats.js";
import { TEXT } from "./language.js";
import { say } from "./say.js";

/** @typedef {import("tarsy-api").components["schemas"]["BudgetLimit"]} BudgetLimit */
/** @typedef {import("tarsy-api").components["schemas"]["BudgetStatus"]} BudgetStatus */
/** @typedef {import("tarsy-api").components["schemas"]["BudgetReport"]} BudgetReport */

/** @param {string} scope */
export function scopeWords(scope) {
  const [kind, ...rest] = scope.split("/");
  const name = rest.join("/");
  const words = TEXT.budgets.scopes;
  if (kind === "day") return words.day;
  if (kind === "session") return name === "" ? words.session : say(words.sessionOf, { name });
  return kind === "team" ? say(words.team, { name }) : say(words.chain, { name });
}

/** Nothing of an amount that is not told.
 *  @param {BudgetLimit["resource"]} resource
 *  @param {number | null} amount */
export function amountWords(resource, amount) {
  if (amount === null) return "";
  if (resource === "money") return money(amount);
  return say(TEXT.budgets.amounts[resource], { count: amount });
}

/** @param {BudgetLimit} limit
 *  @param {BudgetStatus} budget */
export function stateWords(limit, budget) {
  const then = TEXT.budgets.atEnd[budget.at_end];
  if (limit.state !== null) return say(TEXT.budgets.states[limit.state], { then });
  return isOfSession(budget) ? say(TEXT.budgets.ofSession, { then }) : say(TEXT.budgets.notTold, { then });
}

/** @param {BudgetReport} report */
export function dayWords({ day, time_zone: zone, resets_at: ends }) {
  return say(TEXT.budgets.day, { day, zone, ends: wholeTime(new Date(ends)) });
}

/** Nothing while all have a price. @param {BudgetStatus} budget */
export function unpricedCallsWords({ unpriced_calls: count }) {
  return count === null || count === 0 ? "" : say(TEXT.budgets.unpriced, { count });
}

/** How much of the limit is spent, in percent. @param {BudgetLimit} limit */
export function spentPercent({ spent, limit }) {
  return spent === null ? 0 : Math.min(100, (100 * spent) / limit);
}

/** @param {BudgetStatus} budget */
function isOfSession(budget) {
  return budget.scope.split("/")[0] === "session";
}
