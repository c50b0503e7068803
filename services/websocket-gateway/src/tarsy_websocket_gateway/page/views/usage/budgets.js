// The budgets that are configured: their limits, and what is spent of them today. Nothing where there are none.

import { readBudgets } from "../../net/usage_api.js";
import { usePolled } from "../../stores/polled.js";
import { html } from "../../ui.js";
import {
  amountWords,
  dayWords,
  scopeWords,
  spentPercent,
  stateWords,
  unpricedCallsWords,
} from "../../words/budget_words.js";
import { TEXT } from "../../words/language.js";

/** @typedef {import("tarsy-api").components["schemas"]["BudgetReport"]} BudgetReport */
/** @typedef {import("tarsy-api").components["schemas"]["BudgetStatus"]} BudgetStatus */
/** @typedef {import("tarsy-api").components["schemas"]["BudgetLimit"]} BudgetLimit */

export function Budgets() {
  const polled = usePolled(readBudgets);
  /** @type {BudgetReport | null} */
  const report = polled.answer.value;
  const problem = polled.problem.value;
  if (problem === "" && (report === null || report.budgets.length === 0)) return null;
  return html`
    <section class="budgets" aria-label=${TEXT.budgets.title}>
      <h2>${TEXT.budgets.title}</h2>
      ${problem !== "" && html`<p class="notice" role="status">${problem}</p>`}
      ${report !== null && html`<${BudgetTable} report=${report} />`}
    </section>
  `;
}

/** @param {{ report: BudgetReport }} props */
function BudgetTable({ report }) {
  return html`
    <p class="quiet">${dayWords(report)}</p>
    <div class="scrolled usage" tabindex="0">
      <table>
        <thead>
          <tr>${Object.values(TEXT.budgets.columns).map((name) => html`<th key=${name} scope="col">${name}</th>`)}</tr>
        </thead>
        <tbody>
          ${report.budgets.flatMap((budget) =>
            budget.limits.map(
              (limit, place) =>
                html`<${LimitRow} key=${`${budget.scope} ${limit.resource}`} budget=${budget} limit=${limit} isFirst=${place === 0} />`,
            ),
          )}
        </tbody>
      </table>
    </div>
  `;
}

/** Rows of one budget have its name once. @param {{ budget: BudgetStatus, limit: BudgetLimit, isFirst: boolean }} props */
function LimitRow({ budget, limit, isFirst }) {
  const { resource, state } = limit;
  const unpriced = resource === "money" ? unpricedCallsWords(budget) : "";
  return html`
    <tr class=${state ?? ""}>
      ${isFirst && html`<th scope="rowgroup" rowspan=${budget.limits.length}>${scopeWords(budget.scope)}</th>`}
      <td class="bar">
        ${limit.spent !== null && html`<${Bar} percent=${spentPercent(limit)} />`}
      </td>
      <td class="number">${amountWords(resource, limit.spent)}</td>
      <td class="number">${amountWords(resource, limit.limit)}</td>
      <td class="number">${amountWords(resource, limit.soft_limit)}</td>
      <td>${stateWords(limit, budget)} ${unpriced !== "" && html`<span class="quiet">${unpriced}</span>`}</td>
    </tr>
  `;
}

/** What it shows stands beside it as numbers. @param {{ percent: number }} props */
function Bar({ percent }) {
  return html`
    <svg width="100%" height="10" aria-hidden="true">
      <rect class="whole" width="100%" height="10" />
      <rect class="spent" width=${`${percent}%`} height="10" />
    </svg>
  `;
}
