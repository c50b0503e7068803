// What an operator should look at now. Each warning goes when its cause does.

import { systemWarnings } from "../../stores/warnings_store.js";
import { html } from "../../ui.js";
import { NO_WARNINGS } from "../../words/system_words.js";
import { Time } from "../clock.js";

/** @typedef {import("tarsy-api").components["schemas"]["SystemWarning"]} SystemWarning */

export function WarningsPart() {
  const known = systemWarnings.value;
  if (known === null) return html`<p class="notice" role="status">Loading …</p>`;
  if (known.warnings.length === 0) return html`<p class="notice" role="status">${NO_WARNINGS}</p>`;
  return html`<${WarningList} warnings=${known.warnings} />`;
}

/** @param {{ warnings: SystemWarning[] }} props */
export function WarningList({ warnings }) {
  return html`
    <ul class="warnings">
      ${warnings.map((warning) => html`<${WarningRow} key=${warning.id} warning=${warning} />`)}
    </ul>
  `;
}

/** @param {{ warning: SystemWarning }} props */
function WarningRow({ warning }) {
  return html`
    <li>
      <strong>${warning.message}</strong>
      <span class="quiet">since <${Time} stamp=${warning.created_at} /></span>
      <p class="text">${warning.details}</p>
    </li>
  `;
}
