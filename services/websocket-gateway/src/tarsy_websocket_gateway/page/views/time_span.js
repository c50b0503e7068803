// When the sessions came that are listed: in the last hour, day or week, or between two times.

import { fromLocal, toLocal } from "../state/local_time.js";
import { SPANS } from "../state/search_query.js";
import { html, useSignal } from "../ui.js";
import { timeSpanName } from "../words/list_words.js";
import { TEXT } from "../words/language.js";

const OWN = "own";
const CHOICES = ["", ...Object.keys(SPANS), OWN];

/** @typedef {{ currentTarget: { value: string } }} Changed */

/** @param {import("./search_bar.js").Props} props */
export function TimeSpan({ query, onChange }) {
  const isOwn = useSignal(false);
  const hasTimes = query.from !== "" || query.until !== "";
  const chosen = hasTimes || (isOwn.value && query.span === "") ? OWN : query.span;

  /** @param {string} span */
  function choose(span) {
    isOwn.value = span === OWN;
    onChange({ ...query, span: span === OWN ? "" : span, from: "", until: "" });
  }

  return html`
    <span class="time-span">
      <select aria-label=${TEXT.timeSpan.label} value=${chosen} onChange=${(/** @type {Changed} */ event) => choose(event.currentTarget.value)}>
        ${CHOICES.map((span) => html`<option key=${span} value=${span}>${timeSpanName(span)}</option>`)}
      </select>
      ${
        chosen === OWN &&
        html`
        <${Moment} label=${TEXT.timeSpan.from} value=${query.from} onChange=${(/** @type {string} */ from) => onChange({ ...query, span: "", from })} />
        <${Moment} label=${TEXT.timeSpan.until} value=${query.until} onChange=${(/** @type {string} */ until) => onChange({ ...query, span: "", until })} />
      `
      }
    </span>
  `;
}

/** @param {{ label: string, value: string, onChange: (value: string) => void }} props */
function Moment({ label, value, onChange }) {
  return html`
    <input type="datetime-local" aria-label=${label} value=${toLocal(value)}
           onChange=${(/** @type {Changed} */ event) => onChange(fromLocal(event.currentTarget.value))} />
  `;
}
