// What TARSy changed: the calls that are not repeatable and ran, or may have run.

import { changedBy } from "../state/outcome.js";
import { html } from "../ui.js";
import { outcomeWord } from "../words/call_words.js";
import { TEXT } from "../words/language.js";

/** @param {{ store: import("../stores/session_store.js").SessionStore }} props */
export function Changed({ store }) {
  store.story.settled.value;
  const items = changedBy(store.session);
  if (items.length === 0) return null;
  return html`
    <section class="changed" aria-labelledby="changed">
      <h2 id="changed">${TEXT.facts.changed}</h2>
      <ul>
        ${items.map(
          ({ id, metadata }) => html`
          <li key=${id}><a href=${`#event-${id}`}><code>${metadata.server_name}.${metadata.tool_name}</code></a>${" "}<span>${outcomeWord(metadata.outcome)}</span></li>
        `,
        )}
      </ul>
    </section>
  `;
}
