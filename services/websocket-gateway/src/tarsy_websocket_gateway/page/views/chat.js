// The chat: what was asked and answered, and where to ask.

import { openReply } from "../state/chat_state.js";
import { isWide } from "../stores/width.js";
import { html } from "../ui.js";
import { TEXT } from "../words/language.js";
import { Asking } from "./asking.js";
import { useFollow, useFollowInside } from "./follow.js";
import { Turns } from "./turns.js";

/** `isShown`: whether its tab is, or there are none.
 *  @param {{ store: import("../stores/session_store.js").SessionStore, isShown: boolean }} props */
export function Chat({ store, isShown }) {
  store.version.value;
  const isBeside = isWide.value;
  const end = useFollow(store, !isBeside && openReply(store.session) !== null, false);
  const turns = useFollowInside(isBeside && isShown);
  return html`
    <section class="chat" aria-labelledby="chat">
      <h2 id="chat" class=${isBeside ? "unseen" : undefined}>${TEXT.chat.title}</h2>
      <div class="conversation" ref=${turns} ...${isBeside ? { role: "group", "aria-label": TEXT.chat.turns, tabindex: 0 } : {}}>
        <${Turns} store=${store} />
      </div>
      <${Asking} store=${store} />
      <div ref=${end}></div>
    </section>
  `;
}
