// What an operator should look at now. Each warning goes when its cause does.

import { html } from "../../ui.js";
import { Time } from "../clock.js";

/** @typedef {import("tarsy-api").components["schemas"]["SystemWarning"]} SystemWarning */

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
