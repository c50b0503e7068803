// Usage in rows, each with a bar of its tokens: those that went in, and those that came out.

import { html } from "../../ui.js";
import { KEY_NAMES, costWords, keyWords, tokens } from "../../words/usage_words.js";
import { Gradually } from "../gradually.js";

/** @typedef {import("tarsy-api").components["schemas"]["UsageGroup"]} UsageGroup */

/** @param {{ by: keyof typeof KEY_NAMES, rows: UsageGroup[] }} props */
export function UsageTable({ by, rows }) {
  const most = Math.max(1, ...rows.map((row) => row.total_tokens));
  /** @param {UsageGroup} row */
  const draw = (row) => html`<${UsageRow} key=${row.key} row=${row} most=${most} />`;
  return html`
    <div class="scrolled usage" tabindex="0" role="region" aria-label="Usage">
      <table>
        <thead>
          <tr>
            <th scope="col">${KEY_NAMES[by]}</th>
            <th scope="col"><span class="input">Input</span> and <span class="output">output</span></th>
            ${["Sessions", "Input", "Output", "Cost"].map((name) => html`<th key=${name} scope="col" class="number">${name}</th>`)}
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
      <td class="number">${sessions.toLocaleString("en")}</td>
      <td class="number" title=${input.toLocaleString("en")}>${tokens(input)}</td>
      <td class="number" title=${output.toLocaleString("en")}>${tokens(output)}</td>
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
