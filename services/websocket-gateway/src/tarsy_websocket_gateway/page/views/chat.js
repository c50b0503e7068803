// The chat below the story: what was asked and answered, and where to ask.

import { openReply } from "../state/chat_state.js";
import { html } from "../ui.js";
import { Asking } from "./asking.js";
import { useFollow } from "./follow.js";
import { Turns } from "./turns.js";

/** Nothing can be asked of a session that nobody knows.
 *  @param {{ store: import("../stores/session_store.js").SessionStore }} props */
export function Chat({ store }) {
  store.version.value;
  const end = useFollow(store, openReply(store.session) !== null);
  if (store.session.status === null) return null;
  return html`
    <section class="chat" aria-labelledby="chat">
      <h2 id="chat">Chat</h2>
      <${Turns} store=${store} />
      <${Asking} store=${store} />
      <div ref=${end}></div>
    </section>
  `;
}
