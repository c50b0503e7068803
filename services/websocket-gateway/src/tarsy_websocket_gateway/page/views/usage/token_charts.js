// Charts of tokens and their cost by day.

import { roundUp } from "../../state/charts.js";
import { html } from "../../ui.js";
import { dayLabel } from "../../words/chart_words.js";
import { factLine, money } from "../../words/formats.js";
import { TEXT } from "../../words/language.js";
import { costWords, tokens } from "../../words/usage_words.js";
import { Chart, Plot } from "../charts/chart.js";
import { Columns } from "../charts/columns.js";

/** @typedef {import("tarsy-api").components["schemas"]["UsageGroup"]} Day
 *  @typedef {{ days: Day[], total: import("tarsy-api").components["schemas"]["UsageTotals"] }} Props */

const TONES = ["running", "warning"];

/** @param {Props} props */
export function TokensChart({ days, total }) {
  const top = roundUp(Math.max(...days.map((day) => day.total_tokens)));
  const names = [TEXT.usage.input, TEXT.usage.output];
  const columns = days.map((day) => [day.input_tokens, day.output_tokens]);
  const rows = days.map((day) => [day.key, tokens(day.input_tokens), tokens(day.output_tokens)]);
  const exact = days.map((day) => [day.key, day.input_tokens, day.output_tokens]);
  const titles = days.map((day) => factLine([dayLabel(day.key), tokens(day.input_tokens), tokens(day.output_tokens)]));
  const meanings = names.map((name, place) => ({ name, tone: TONES[place] ?? "" }));
  const summary = factLine(names.map((name, place) => `${name}: ${tokens(totalsOf(total)[place] ?? 0)}`));
  return html`
    <${Chart} title=${TEXT.charts.tokens} figure=${tokens(total.total_tokens)} meanings=${meanings} numbers=${{ heads: [TEXT.usage.keys.day, ...names], rows, exact }}>
      <${Plot} summary=${summary} top=${tokens(top)} labels=${days.map(({ key }) => dayLabel(key))}>
        <${Columns} columns=${columns} top=${top} tones=${TONES} titles=${titles} />
      <//>
    <//>
  `;
}

/** @param {Props} props */
export function CostChart({ days, total }) {
  const top = roundUp(Math.max(...days.map((day) => day.cost ?? 0)));
  const rows = days.map((day) => [day.key, costWords(day)]);
  const exact = days.map((day) => [day.key, day.cost]);
  return html`
    <${Chart} title=${TEXT.usage.cost} figure=${costWords(total)} numbers=${{ heads: [TEXT.usage.keys.day, TEXT.usage.cost], rows, exact }}>
      <${Plot} summary=${factLine([TEXT.usage.cost, costWords(total)])} top=${money(top)} labels=${days.map(({ key }) => dayLabel(key))}>
        <${Columns} columns=${days.map((day) => [day.cost ?? 0])} top=${top} tones=${TONES} titles=${days.map((day) => factLine([dayLabel(day.key), costWords(day)]))} />
      <//>
    <//>
  `;
}

/** @param {Props["total"]} total */
function totalsOf(total) {
  return [total.input_tokens, total.output_tokens];
}
