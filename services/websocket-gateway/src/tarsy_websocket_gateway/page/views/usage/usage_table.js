// Usage in rows, each with a bar of its tokens: those that went in, and those that came out.

import { html } from "../../ui.js";
import { number } from "../../words/formats.js";
import { TEXT } from "../../words/language.js";
import { sayParts } from "../../words/say.js";
import { costWords, keyWords, tokens } from "../../words/usage_words.js";
import { Gradually } from "../gradually.js";

/** @typedef {import("tarsy-api").components["schemas"]["UsageGroup"]} UsageGroup */

const INPUT = html`<span class="input">${TEXT.usage.inputBar}</span>`;
const OUTPUT = html`<span class="output">${TEXT.usage.outputBar}</span>`;

/** @param {{ by: keyof typeof TEXT.usage.keys, rows: UsageGroup[] }} props */
export function UsageTable({ by, rows }) {
  const most = Math.max(1, ...rows.map((row) => row.total_tokens));
  /** @param {UsageGroup} row */
  const draw = (row) => html`<${UsageRow} key=${row.key} row=${row} most=${most} />`;
  return html`
    <div class="scrolled usage" tabindex="0" role="region" aria-label=${TEXT.usage.title}>
      <table>
        <thead>
          <tr>
            <th scope="col">${TEXT.usage.keys[by]}</th>
            <th scope="col">${sayParts(TEXT.usage.inputAndOutput, { input: INPUT, output: OUTPUT })}</th>
            ${Object.values(TEXT.usage.columns).map((name) => html`<th key=${name} scope="col" class="number">${name}</th>`)}
          </tr>
        </thead>
        <tbody><${Gradually} key=${JSON.stringify(rows)} items=${rows} draw=${draw} /></tbody>
      </table>
    </div>
  `;
}

/** @param {{ row: UsageGroup, most: number }} props */
function UsageRow({ row, most }) {
  const { key, sessions, input_tokens: input, output_tokens: output } = row;
  return html`
    <tr class=${row.total_tokens === 0 ? "unused" : ""}>
      <th scope="row">${keyWords(key)}</th>
      <td class="bar"><${Bar} input=${(100 * input) / most} output=${(100 * output) / most} /></td>
      <td class="number">${number(sessions)}</td>
      <td class="number" title=${number(input)}>${tokens(input)}</td>
      <td class="number" title=${number(output)}>${tokens(output)}</td>
      <td class="number">${costWords(row)}</td>
    </tr>
  `;
}

/** What it shows stands beside it as numbers.
 *  @param {{ input: number, output: number }} props in percent */
function Bar({ input, output }) {
  return html`
    <svg width="100%" height="10" aria-hidden="true">
      <rect class="input" width=${`${input}%`} height="10" />
      <rect class="output" x=${`${input}%`} width=${`${output}%`} height="10" />
    </svg>
  `;
}
