// How well judges, and analyses themselves, knew what people found afterwards.

import { readCalibration } from "../../net/review_api.js";
import { html, useEffect, useSignal } from "../../ui.js";
import { TEXT } from "../../words/language.js";
import { calibrationRows } from "../../words/review_words.js";

/** It is read once, and left out where an older server has none.
 *  @param {{ wanted: { from: string, to: string } }} props */
export function CalibrationTable({ wanted }) {
  const rows = useSignal(/** @type {ReturnType<typeof calibrationRows>} */ ([]));
  useEffect(() => {
    let isCurrent = true;
    readCalibration(wanted).then(
      (report) => {
        if (isCurrent) rows.value = calibrationRows(report);
      },
      () => {},
    );
    return () => {
      isCurrent = false;
    };
  }, [wanted.from, wanted.to]);
  if (rows.value.length === 0) return null;
  return html`
    <h2 id="calibration">${TEXT.calibration.title}</h2>
    <p class="quiet">${TEXT.calibration.about}</p>
    <div class="scrolled usage" tabindex="0" role="region" aria-labelledby="calibration">
      <table>
        <thead><tr>${Object.values(TEXT.calibration.columns).map((name) => html`<th key=${name} scope="col">${name}</th>`)}</tr></thead>
        <tbody>
          ${rows.value.map(({ name, cells }) => html`<tr key=${name}><th scope="row">${name}</th>${cells.map((cell, index) => html`<td key=${index} class="number">${cell}</td>`)}</tr>`)}
        </tbody>
      </table>
    </div>
  `;
}
