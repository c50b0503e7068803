// Charts of a span of days, and tables of tokens and their cost. The span stands in the address.

import { readUsage } from "../../net/usage_api.js";
import { query } from "../../router.js";
import { rowsOf, wantedBy } from "../../state/usage_rows.js";
import { usePolled } from "../../stores/polled.js";
import { html, useEffect, useMemo } from "../../ui.js";
import { TEXT } from "../../words/language.js";
import { totalFacts, unpricedWords } from "../../words/usage_words.js";
import { Figures } from "../figures.js";
import { Notice } from "../notice.js";
import { Budgets } from "./budgets.js";
import { CalibrationTable } from "./calibration.js";
import { Overview } from "./overview.js";
import { Prices } from "./prices.js";
import { SpanForm } from "./span_form.js";
import { UsageTable } from "./usage_table.js";

/** @typedef {import("tarsy-api").components["schemas"]["UsageReport"]} UsageReport */
/** @typedef {import("../../state/usage_rows.js").Wanted} Wanted */

export function UsageView() {
  const opened = useMemo(() => Date.now(), []);
  const wanted = wantedBy(query.value, opened);
  useEffect(() => {
    document.title = TEXT.usage.documentTitle;
  }, []);
  return html`
    <h1>${TEXT.usage.title}</h1>
    <${SpanForm} wanted=${wanted} now=${opened} />
    ${wanted.by === "overview" ? html`<${Overview} key=${`${wanted.from} ${wanted.to}`} span=${{ from: wanted.from, to: wanted.to }} />` : html`<${Report} key=${`${wanted.by} ${wanted.from} ${wanted.to}`} wanted=${{ ...wanted, by: wanted.by }} />`}
    <${Budgets} />
    <${Prices} key=${`${wanted.from} ${wanted.to}`} span=${{ from: wanted.from, to: wanted.to }} />
    <${CalibrationTable} wanted=${wanted} />
  `;
}

/** @param {{ wanted: Wanted & { by: Exclude<Wanted["by"], "overview"> } }} props */
function Report({ wanted }) {
  const polled = usePolled(() => readUsage(wanted));
  /** @type {UsageReport | null} */
  const report = polled.answer.value;
  const isEmpty = report?.groups.length === 0;
  return html`
    <${Notice} polled=${polled} empty=${isEmpty ? TEXT.usage.none : ""} />
    ${report !== null && !isEmpty && html`<${Totals} report=${report} /><${UsageTable} by=${wanted.by} rows=${rowsOf(report, wanted)} />`}
  `;
}

/** @param {{ report: UsageReport }} props */
function Totals({ report }) {
  const unpriced = unpricedWords(report.unpriced_models);
  return html`
    <${Figures} facts=${totalFacts(report.total)} />
    ${unpriced !== "" && html`<p class="quiet unpriced">${unpriced}</p>`}
  `;
}
