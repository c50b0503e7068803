// The line that says whether what is shown is live, and as of when it is not.

import { connection, liveUntil } from "../stores/connection.js";
import { html } from "../ui.js";

const WORDS = { connecting: "Connecting …", live: "Live", lost: "Connection lost, trying again" };

export function ConnectionLine() {
  const state = connection.value;
  return html`<p id="connection" class="connection" role="status" data-state=${state} title=${asOf(state)}>${WORDS[state]}</p>`;
}

/** @param {string} state */
function asOf(state) {
  if (state !== "lost" || liveUntil.value === null) return "";
  return `As of ${new Date(liveUntil.value).toLocaleTimeString()}`;
}
