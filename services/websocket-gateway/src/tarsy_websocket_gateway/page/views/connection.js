// The line that says whether what is shown is live, and as of when it is not.

import { account } from "../stores/account_store.js";
import { connection, liveUntil } from "../stores/connection.js";
import { html } from "../ui.js";
import { asOf } from "../words/connection_words.js";
import { TEXT } from "../words/language.js";

export function ConnectionLine() {
  const { name, canLogIn } = account.value;
  // Who has to log in has lost nothing.
  if (name === null && canLogIn) return html`<p id="connection" class="connection" role="status"></p>`;
  const state = connection.value;
  const since = state === "lost" && liveUntil.value !== null ? asOf(liveUntil.value) : "";
  return html`<p id="connection" class="connection" role="status" data-state=${state} title=${since}>${TEXT.connection.states[state]}</p>`;
}
