// How well judges, and analyses themselves, knew what people found afterwards.

import { readCalibration } from "../../net/review_api.js";
import { usePolled } from "../../stores/polled.js";
import { html } from "../../ui.js";
import { TEXT } from "../../words/language.js";
import { calibrationRows } from "../../words/review_words.js";

/** @param {{ wanted: { from: string, to: string } }} props */
export function CalibrationTable({ wanted }) {
  const polled = usePolled(() => readCalibration(wanted), [wanted.from, wanted.to]);
  const rows = polled.answer.value === null ? [] : calibrationRows(polled.answer.value);
  if (rows.length === 0) return null;
  return html`
    <h2 id="calibration">${TEXT.calibration.title}</h2>
    <p class="quiet">${TEXT.calibration.about}</p>
    <div class="scrolled usage" tabindex="0" role="region" aria-labelledby="calibration">
      <table>
        <thead><tr>${Object.values(TEXT.calibration.columns).map((name) => html`<th key=${name} scope="col">${name}</th>`)}</tr></thead>
        <tbody>
          ${rows.map(({ name, cells }) => html`<tr key=${name}><th scope="row">${name}</th>${cells.map((cell, index) => html`<td key=${index} class="number">${cell}</td>`)}</tr>`)}
        </tbody>
      </table>
    </div>
  `;
}
