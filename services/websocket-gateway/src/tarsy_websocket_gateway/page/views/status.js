// A state as a word with a colour.

import { html } from "../ui.js";
import { statusWord, tone } from "../words/wording.js";

/** `word`: another one than the status has.
 *  @param {{ status: string, word?: string }} props */
export function Status({ status, word }) {
  return html`<span class="status" data-tone=${tone(status)}>${word ?? statusWord(status)}</span>`;
}
