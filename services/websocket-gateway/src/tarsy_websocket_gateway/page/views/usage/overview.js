// The usage of some days in charts: how sessions ended, how long they took, what they used, and when alerts came.

import { readOutcomes, readUsage } from "../../net/usage_api.js";
import { rowsOf } from "../../state/usage_rows.js";
import { usePolled } from "../../stores/polled.js";
import { html } from "../../ui.js";
import { TEXT } from "../../words/language.js";
import { Notice } from "../notice.js";
import { HoursChart, OutcomesChart, ScoresChart, TimesChart, TypesChart } from "./outcome_charts.js";
import { CostChart, TokensChart } from "./token_charts.js";

/** @typedef {{ from: string, to: string }} Span
 *  @typedef {[import("../../net/usage_api.js").OutcomeReport, import("../../net/usage_api.js").UsageReport]} Reports */

/** @param {{ span: Span }} props */
export function Overview({ span }) {
  const polled = usePolled(() => Promise.all([readOutcomes(span), readUsage({ by: "day", ...span })]));
  /** @type {Reports | null} */
  const reports = polled.answer.value;
  const isEmpty = reports !== null && reports[0].total.sessions === 0 && reports[1].groups.length === 0;
  return html`
    <${Notice} polled=${polled} empty=${isEmpty ? TEXT.charts.none : ""} />
    ${reports !== null && !isEmpty && html`<${Charts} outcomes=${reports[0]} usage=${reports[1]} span=${span} />`}
  `;
}

/** @param {{ outcomes: Reports[0], usage: Reports[1], span: Span }} props */
function Charts({ outcomes, usage, span }) {
  const days = rowsOf(usage, span).reverse();
  return html`
    <div class="charts">
      <${OutcomesChart} report=${outcomes} span=${span} />
      <${TimesChart} report=${outcomes} span=${span} />
      <${TokensChart} days=${days} total=${usage.total} />
      <${CostChart} days=${days} total=${usage.total} />
      <${ScoresChart} report=${outcomes} span=${span} />
      <${TypesChart} report=${outcomes} />
      <${HoursChart} report=${outcomes} />
    </div>
  `;
}
