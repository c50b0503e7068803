// The badge of a stage that acts: what it came to, how many calls did what, and each of them.

import { html } from "../ui.js";
import { actionFacts, verdictTone, verdictWord } from "../words/action_words.js";
import { TEXT } from "../words/language.js";

/** @param {{ action: import("../words/action_words.js").ActionOutcome }} props */
export function ActionBadge({ action }) {
  const { verdict, calls = [] } = action;
  return html`
    <p class="action-outcome" title=${TEXT.actions.counted}>
      <span class="status" data-tone=${verdictTone(verdict)}>${verdictWord(verdict)}</span> <span class="quiet">${actionFacts(action)}</span>
    </p>
    ${
      calls.length > 0 &&
      html`<ul class="action-calls quiet">
        ${calls.map((call) => html`<li key=${call.call_id}><code>${call.server}.${call.tool}</code> ${call.result}${call.approved_by ? ` (${call.approved_by})` : ""}</li>`)}
      </ul>`
    }
  `;
}
