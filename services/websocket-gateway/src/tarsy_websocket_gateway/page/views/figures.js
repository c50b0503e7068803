// A few numbers that stand for the whole.

import { html } from "../ui.js";

/** @param {{ facts: [string, string, string][] }} props name, value, what is to be known of it */
export function Figures({ facts }) {
  return html`
    <dl class="figures">
      ${facts.map(
        ([name, value, part]) => html`
          <div key=${name}><dt>${name}</dt><dd>${value}</dd><dd class="quiet">${part}</dd></div>
        `,
      )}
    </dl>
  `;
}
