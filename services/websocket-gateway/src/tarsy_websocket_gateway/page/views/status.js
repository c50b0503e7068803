// A state as a word with a colour.

import { html } from "../ui.js";
import { statusWord, tone } from "../words/wording.js";

/** `word`: another one than the status has. `isLimited`: its analysis is less than whole, or rests on less than it should.
 *  @param {{ status: string, word?: string, isLimited?: boolean }} props */
export function Status({ status, word, isLimited = false }) {
  const shown = isLimited && tone(status) === "good" ? "warning" : tone(status);
  return html`<span class="status" data-tone=${shown}>${word ?? statusWord(status)}</span>`;
}
