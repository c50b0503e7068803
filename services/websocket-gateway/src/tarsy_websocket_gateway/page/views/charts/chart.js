// The frame of a chart: its name, what its colours mean, its axes, and its numbers in a table that is unfolded, or as CSV.

import { saveFile } from "../../clipboard.js";
import { axisMarks } from "../../state/charts.js";
import { csvOf } from "../../state/csv.js";
import { html } from "../../ui.js";
import { TEXT } from "../../words/language.js";
import { Fold } from "../fold.js";

/** @typedef {import("preact").ComponentChildren} Children
 *  @typedef {{ name: string, tone: string }} Meaning
 *  @typedef {import("../../state/csv.js").Cell} Cell
 *  @typedef {{ heads: string[], rows: string[][], exact?: Cell[][] }} Numbers  the first of a row names it; `exact`: for the CSV */

/** `figure`: the number that stands for the whole.
 *  @param {{ title: string, figure?: string, meanings?: Meaning[], numbers: Numbers, children: Children }} props */
export function Chart({ title, figure = "", meanings = [], numbers, children }) {
  return html`
    <figure class="card chart">
      <figcaption>
        <h2>${title}</h2>
        ${figure && html`<strong>${figure}</strong>`}
        <span class="meanings">${meanings.map(({ name, tone }) => html`<span key=${name} data-tone=${tone}>${name}</span>`)}</span>
      </figcaption>
      ${children}
      <${Fold} title=${TEXT.charts.numbers}>${() => html`<${NumbersTable} title=${title} numbers=${numbers} />`}<//>
    </figure>
  `;
}

/** What stands above its columns, which are named by `labels`. `top`: the end of the axis, in words.
 *  @param {{ summary: string, top: string, labels: string[], children: Children }} props */
export function Plot({ summary, top, labels, children }) {
  return html`
    <div class="plot">
      <span class="top-mark" aria-hidden="true">${top}</span>
      <div role="img" aria-label=${summary}>${children}</div>
      <div class="axis" aria-hidden="true">
        ${axisMarks(labels).map(
          ({ x, label, align }) =>
            html`<svg key=${x} width="100%" height="16"><text x=${`${x}%`} y="12" text-anchor=${align}>${label}</text></svg>`,
        )}
      </div>
    </div>
  `;
}

/** @param {{ title: string, numbers: Numbers }} props */
export function NumbersTable({ title, numbers: { heads, rows, exact = rows } }) {
  const save = () => saveFile(`${title}.csv`, csvOf([heads, ...exact]), "text/csv");
  return html`
    <button type="button" onClick=${save}>${TEXT.charts.csv}</button>
    <div class="scrolled" tabindex="0" role="region" aria-label=${title}>
      <table>
        <thead><tr>${heads.map((head) => html`<th key=${head} scope="col">${head}</th>`)}</tr></thead>
        <tbody>
          ${rows.map(([name, ...cells], place) => html`<tr key=${place}><th scope="row">${name}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`)}
        </tbody>
      </table>
    </div>
  `;
}
