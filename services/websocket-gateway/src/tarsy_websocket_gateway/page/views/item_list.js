// A list of items, in order.

import { html, useMemo } from "../ui.js";
import { ItemView } from "./item.js";

/** `list`: its name. An item that is there already is not looked at again when others come.
 *  @param {{ store: import("../stores/session_store.js").SessionStore, list: string, isHidden?: boolean }} props */
export function ItemList({ store, list, isHidden = false }) {
  /** @type {Map<string, unknown>} */
  const known = useMemo(() => new Map(), [store, list]);
  const ids = store.story.idsOf(list).value;

  /** @param {string} id */
  function viewOf(id) {
    if (!known.has(id)) known.set(id, html`<${ItemView} key=${id} store=${store} id=${id} />`);
    return known.get(id);
  }

  return html`<ol class="items" hidden=${isHidden}>${ids.map(viewOf)}</ol>`;
}
