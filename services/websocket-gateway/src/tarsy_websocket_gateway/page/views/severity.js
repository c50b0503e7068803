// How bad an alert says that it is.

import { html } from "../ui.js";
import { severityTone } from "../words/list_words.js";

/** @param {{ severity: string | null | undefined }} props */
export function SeverityPill({ severity }) {
  if (!severity) return null;
  return html`<span class="pill severity" data-tone=${severityTone(severity)}>${severity}</span>`;
}

/** A bar, the higher the worse.
 *  @param {{ severity: string | null }} props */
export function SeverityBar({ severity }) {
  if (!severity) return html`<span class="severity"></span>`;
  return html`<span class="severity" data-tone=${severityTone(severity)} title=${severity}><span class="unseen">${severity}</span></span>`;
}
