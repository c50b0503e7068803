// What an operator should look at now. Each warning goes when its cause does.

import { html } from "../../ui.js";
import { TEXT } from "../../words/language.js";
import { sayParts } from "../../words/say.js";
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
  const time = html`<${Time} stamp=${warning.created_at} />`;
  return html`
    <li>
      <strong>${warning.message}</strong>
      <span class="quiet">${sayParts(TEXT.system.warningSince, { time })}</span>
      <p class="text">${warning.details}</p>
    </li>
  `;
}
