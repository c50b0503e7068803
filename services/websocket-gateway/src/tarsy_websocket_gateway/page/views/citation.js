// A citation in a text: each call that it names is a link to the step in the story, which opens there. The number of a
// call that the session does not have stays text.

import { citedCall, numbersIn } from "../state/citations.js";
import { createContext, html, useComputed, useContext } from "../ui.js";
import { citationName, citationTitle } from "../words/citation_words.js";

/** @typedef {import("../stores/session_store.js").SessionStore} Store */

/** The session whose calls are cited; null around texts that are not of its agents.
 *  @type {import("preact").Context<Store | null>} */
export const CitedSession = createContext(/** @type {Store | null} */ (null));

/** @param {{ text: string }} props */
export function Citation({ text }) {
  const store = useContext(CitedSession);
  if (store === null) return text;
  const calls = numbersIn(text).map(
    (number, at) => html`${at > 0 && ", "}<${CallLink} key=${at} store=${store} number=${number} />`,
  );
  return html`<span class="citation">[${calls}]</span>`;
}

/** @param {{ store: Store, number: number }} props */
function CallLink({ store, number }) {
  const id = useComputed(() => {
    store.story.count.value;
    return citedCall(store.session, number)?.id ?? "";
  }).value;
  const item = store.session.items.get(id);
  if (item === undefined) return citationName(number);
  const title = citationTitle(number, item);
  return html`<a
    href=${`#event-${id}`} title=${title} aria-label=${title} onClick=${() => {
      store.followed.value = { id };
    }}
  >${citationName(number)}</a>`;
}
