// What is to be said instead of an answer, or above it.

import { html } from "../ui.js";
import { TEXT } from "../words/language.js";

/** `empty`: what is said when there is nothing to show.
 *  @param {{ polled: import("../stores/polled.js").Polled<any>, empty?: string }} props */
export function Notice({ polled, empty = "" }) {
  const loading = polled.answer.value === null ? TEXT.page.loading : "";
  const text = polled.problem.value || loading || empty;
  return text === "" ? null : html`<p class="notice" role="status">${text}</p>`;
}
