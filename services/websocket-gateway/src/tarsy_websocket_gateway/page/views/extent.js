// How much of the story is shown.

import { EXTENTS, chooseExtent, extent } from "../stores/choice_store.js";
import { html } from "../ui.js";

/** @type {Record<import("../stores/choice_store.js").Extent, string>} */
const WORDS = { conclusions: "Conclusions", steps: "Steps", everything: "Everything" };

export function ExtentChoice() {
  return html`
    <div class="choice" role="group" aria-label="How much is shown">
      ${EXTENTS.map(
        (one) => html`
        <button key=${one} type="button" aria-pressed=${String(one === extent.value)} onClick=${() => chooseExtent(one)}>${WORDS[one]}</button>
      `,
      )}
    </div>
  `;
}
