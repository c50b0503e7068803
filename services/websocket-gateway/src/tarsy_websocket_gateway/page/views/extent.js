// How much of the story is shown.

import { EXTENTS, chooseExtent, extent } from "../stores/choice_store.js";
import { html } from "../ui.js";
import { TEXT } from "../words/language.js";

export function ExtentChoice() {
  return html`
    <div class="choice" role="group" aria-label=${TEXT.story.extent}>
      ${EXTENTS.map(
        (one) => html`
        <button key=${one} type="button" aria-pressed=${String(one === extent.value)} onClick=${() => chooseExtent(one)}>${TEXT.story.extents[one]}</button>
      `,
      )}
    </div>
  `;
}
