// A citation in a text: each call that it names is a link to the step in the story, which opens there, and each source one
// to its web page. A number that the session does not have stays text.

import { citedCall, namedIn } from "../state/citations.js";
import { isWeb } from "../state/web_address.js";
import { createContext, html, useComputed, useContext } from "../ui.js";
import { citationName, citationTitle, sourceName } from "../words/citation_words.js";

/** @typedef {import("../stores/session_store.js").SessionStore} Store */

/** The session whose calls are cited; null around texts that are not of its agents.
 *  @type {import("preact").Context<Store | null>} */
export const CitedSession = createContext(/** @type {Store | null} */ (null));

/** @param {{ text: string }} props */
export function Citation({ text }) {
  const store = useContext(CitedSession);
  if (store === null) return text;
  const links = namedIn(text).map(
    ({ kind, number }, at) =>
      html`${at > 0 && ", "}<${kind === "call" ? CallLink : SourceLink} key=${at} store=${store} number=${number} />`,
  );
  return html`<span class="citation">[${links}]</span>`;
}

/** @param {{ store: Store, number: number }} props */
function SourceLink({ store, number }) {
  const source = useComputed(() => {
    store.story.count.value;
    return store.session.sources.get(number);
  }).value;
  const name = sourceName(number);
  if (source === undefined || !isWeb(source.url)) return html`<span title=${source?.title}>${name}</span>`;
  return html`<a href=${source.url} title=${`${source.title} ${source.url}`.trim()} rel="noopener noreferrer nofollow" target="_blank">${name}</a>`;
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
