// How bad an alert says that it is.

import { html } from "../ui.js";
import { severityTone } from "../words/list_words.js";

/** @param {{ severity: string | null | undefined }} props */
export function SeverityPill({ severity }) {
  if (!severity) return null;
  return html`<span class="pill severity" data-tone=${severityTone(severity)}>${severity}</span>`;
}
