// The chat: what was asked and answered, and where to ask. A panel beside the story where there is room for it, and
// else a part of the page below the story.

import { openReply } from "../state/chat_state.js";
import { closeChat, isChatOpen, openChat } from "../stores/chat_panel.js";
import { isWide } from "../stores/width.js";
import { html, useLayoutEffect, useRef } from "../ui.js";
import { TEXT } from "../words/language.js";
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
  useFocusAfter(isOpen);
  if (store.session.status === null) return null;
  return html`
    <section class="chat" id="chat-panel" aria-labelledby="chat" hidden=${!isOpen}>
      <div class="chat-head">
        <h2 id="chat">${TEXT.chat.title}</h2>
        ${isBeside && html`<button type="button" class="copy" aria-label=${TEXT.chat.closeLabel} onClick=${closeChat}>${TEXT.chat.close}</button>`}
      </div>
      <div class="conversation" ref=${turns} ...${isBeside ? { role: "group", "aria-label": TEXT.chat.turns, tabindex: 0 } : {}}>
        <${Turns} store=${store} />
      </div>
      <${Asking} store=${store} />
      <div ref=${end}></div>
    </section>
    ${!isOpen && html`<button type="button" class="chat-opener" aria-expanded="false" aria-controls="chat-panel" onClick=${openChat}>${TEXT.chat.title}</button>`}
  `;
}

/** The focus goes to the field when the panel opens, and to what opens it when it closes.
 *  @param {boolean} isOpen */
function useFocusAfter(isOpen) {
  const wasOpen = useRef(isOpen);
  useLayoutEffect(() => {
    if (wasOpen.current === isOpen) return;
    wasOpen.current = isOpen;
    // A citation that leads into the panel has the focus already.
    if (document.activeElement !== document.body && document.activeElement?.checkVisibility()) return;
    const wanted = isOpen ? [".chat textarea:enabled", ".chat-head button"] : [".chat-opener"];
    const place = wanted.map((one) => document.querySelector(one)).find((one) => one instanceof HTMLElement);
    place?.focus({ preventScroll: true });
  }, [isOpen]);
}
