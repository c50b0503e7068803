// The chat: what was asked and answered, and where to ask. A panel beside the story where there is room for it, and
// else a part of the page below the story.

import { openReply } from "../state/chat_state.js";
import { closeChat, isChatOpen, openChat } from "../stores/chat_panel.js";
import { isWide } from "../stores/width.js";
import { html, useLayoutEffect, useRef } from "../ui.js";
import { Asking } from "./asking.js";
import { useFollow, useFollowInside } from "./follow.js";
import { Turns } from "./turns.js";

/** Nothing can be asked of a session that nobody knows.
 *  @param {{ store: import("../stores/session_store.js").SessionStore }} props */
export function Chat({ store }) {
  store.version.value;
  const isBeside = isWide.value;
  const isOpen = isChatOpen.value || !isBeside;
  const end = useFollow(store, !isBeside && openReply(store.session) !== null);
  const turns = useFollowInside(isBeside && isOpen && store.session.status !== null);
  const section = useFocusAfter(isOpen);
  if (store.session.status === null) return null;
  return html`
    <section class="chat" id="chat-panel" aria-labelledby="chat" hidden=${!isOpen} ref=${section}>
      <div class="chat-head">
        <h2 id="chat">Chat</h2>
        ${isBeside && html`<button type="button" class="copy" aria-label="Close the chat" onClick=${closeChat}>Close</button>`}
      </div>
      <div class="conversation" ref=${turns} ...${isBeside ? { role: "group", "aria-label": "Questions and replies", tabindex: 0 } : {}}>
        <${Turns} store=${store} />
      </div>
      <${Asking} store=${store} />
      <div ref=${end}></div>
    </section>
    ${!isOpen && html`<button type="button" class="chat-opener" aria-expanded="false" aria-controls="chat-panel" onClick=${openChat}>Chat</button>`}
  `;
}

/** The focus goes to the field when the panel opens, and to what opens it when it closes. Returns a ref for the panel.
 *  @param {boolean} isOpen */
function useFocusAfter(isOpen) {
  const panel = useRef(/** @type {HTMLElement | null} */ (null));
  const wasOpen = useRef(isOpen);
  useLayoutEffect(() => {
    if (wasOpen.current === isOpen) return;
    wasOpen.current = isOpen;
    // A citation that leads into the panel has the focus already.
    if (document.activeElement !== document.body && document.activeElement?.checkVisibility()) return;
    const opener = panel.current?.parentElement?.querySelector(".chat-opener");
    const place = isOpen ? panel.current?.querySelector("textarea:enabled, button") : opener;
    if (place instanceof HTMLElement) place.focus({ preventScroll: true });
  }, [isOpen]);
  return panel;
}
