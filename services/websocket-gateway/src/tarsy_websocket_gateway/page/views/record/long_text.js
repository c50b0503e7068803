// A text that may be very long: its beginning, and more of it on request. A browser takes long to lay out megabytes.

import { html, useSignal } from "../../ui.js";
import { moreWords } from "../../words/record_words.js";

const FIRST_CHARACTERS = 8_000;
const MORE_CHARACTERS = 40_000;

/** @param {{ text: string }} props */
export function LongText({ text }) {
  const count = useSignal(FIRST_CHARACTERS);
  const left = text.length - count.value;

  function showMore() {
    count.value += MORE_CHARACTERS;
  }

  return html`
    <pre class="data" tabindex="0">${text.slice(0, count.value)}</pre>
    ${left > 0 && html`<button type="button" onClick=${showMore}>${moreWords(left)}</button>`}
  `;
}
