// The lines of a result that its summary quotes, as a list of ways to them.

import { html } from "../../ui.js";
import { number as formatted } from "../../words/formats.js";
import { quotationWords, quotedTitle } from "../../words/result_words.js";
import { Fold } from "../fold.js";

/** @typedef {import("../../stores/quoted_lines.js").QuotedLines} QuotedLines
 *  @typedef {(place: import("../../stores/result_search.js").Place) => void} Show */

/** Nothing where the summary quotes nothing.
 *  @param {{ quoted: QuotedLines, show: Show }} props */
export function Quotations({ quoted, show }) {
  const count = quoted.lines.value.size;
  const isReading = quoted.isReading.value;
  if (count === 0 && !isReading) return null;
  return html`
    <${Fold} kind="fold quotations" title=${quotedTitle(count, isReading)}>
      ${() => html`<ul>${quoted.quotations.value.map((one, place) => html`<${Quotation} key=${place} quotation=${one} show=${show} />`)}</ul>`}
    <//>
  `;
}

/** @param {{ quotation: import("../../state/quoted_pieces.js").Quotation, show: Show }} props */
function Quotation({ quotation, show }) {
  return html`
    <li>
      ${quotation.lines.map((number) => html`<button key=${number} type="button" class="line-number" onClick=${() => show({ number, byte: 0 })}>${formatted(number)}</button>${" "}`)}
      <span class="quiet">${quotationWords(quotation)}</span>
    </li>
  `;
}
