// A state as a word with a colour.

import { html } from "../ui.js";
import { statusWord, tone } from "../words/wording.js";

/** `word`: another one than the status has. `partial`: why its analysis is less than whole.
 *  @param {{ status: string, word?: string, partial?: string | null }} props */
export function Status({ status, word, partial }) {
  return html`<span class="status" data-tone=${partial ? "warning" : tone(status)}>${word ?? statusWord(status)}</span>`;
}
