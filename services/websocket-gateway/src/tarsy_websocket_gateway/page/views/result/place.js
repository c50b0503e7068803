// The place of the result that the address names.

import { chosenCall } from "../../stores/result_choice.js";
import { html } from "../../ui.js";
import { ResultDrawer } from "./drawer.js";

/** @typedef {import("../../stores/session_store.js").SessionStore} Store */

/** @param {{ store: Store }} props */
export function ResultPlace({ store }) {
  const callId = chosenCall.value;
  if (callId === "") return null;
  return html`<${ResultDrawer} key=${callId} store=${store} callId=${callId} />`;
}
