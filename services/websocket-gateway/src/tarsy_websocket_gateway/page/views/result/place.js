// The place of the result that the address names. What shows it is fetched when it is shown first.

import { chosenCall } from "../../stores/result_choice.js";
import { html, useEffect, useSignal } from "../../ui.js";

/** @typedef {import("../../stores/session_store.js").SessionStore} Store */

/** @param {{ store: Store }} props */
export function ResultPlace({ store }) {
  const callId = chosenCall.value;
  /** @type {import("@preact/signals").Signal<typeof import("./drawer.js") | null>} */
  const loaded = useSignal(null);
  useEffect(() => {
    if (callId === "" || loaded.value !== null) return;
    import("./drawer.js").then((found) => {
      loaded.value = found;
    });
  }, [callId]);
  if (callId === "" || loaded.value === null) return null;
  const { ResultDrawer } = loaded.value;
  return html`<${ResultDrawer} key=${callId} store=${store} callId=${callId} />`;
}
