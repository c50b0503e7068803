// "Ask about this": what is selected in story, verdict, result or chat becomes a quotation in the field for the question.

import { perFrame } from "../frames.js";
import { addKeys } from "../keys.js";
import { whyClosed } from "../state/chat_state.js";
import { openChat } from "../stores/rail.js";
import { html, useEffect, useLayoutEffect, useRef, useSignal } from "../ui.js";
import { TEXT } from "../words/language.js";
import { say } from "../words/say.js";

/** @typedef {{ text: string, box: DOMRect }} Selected */

const QUOTED = ".middle, .conversation";
const KEY = "q";
const ROOM_PIXELS = 8;

/** @param {{ store: import("../stores/session_store.js").SessionStore }} props */
export function AskSelection({ store }) {
  store.version.value;
  const canAsk = whyClosed(store.session, store.detail.value?.chat_enabled !== false) === "";
  /** @type {import("@preact/signals").Signal<Selected | null>} */
  const selected = useSignal(null);
  const button = useRef(/** @type {HTMLButtonElement | null} */ (null));
  useEffect(() => {
    const look = perFrame(() => {
      selected.value = read();
    });
    document.addEventListener("selectionchange", look);
    addEventListener("scroll", look, { passive: true, capture: true });
    return () => {
      document.removeEventListener("selectionchange", look);
      removeEventListener("scroll", look, { capture: true });
    };
  }, []);
  const isOffered = canAsk && selected.value !== null;
  useLayoutEffect(() => addKeys([{ key: KEY, name: TEXT.keys.ask, act: isOffered ? ask : goToField }]), [isOffered]);
  useLayoutEffect(() => {
    if (button.current !== null && selected.value !== null) moveTo(button.current, selected.value.box);
  });

  function ask() {
    const text = read()?.text;
    if (text === undefined) return;
    openChat();
    getSelection()?.removeAllRanges();
    store.quotation.value = text;
  }

  if (!isOffered) return null;
  return html`
    <button
      type="button" class="ask-selection" ref=${button} aria-keyshortcuts=${KEY} title=${say(TEXT.chat.askSelectionKey, { key: KEY })}
      onMouseDown=${(/** @type {Event} */ event) => event.preventDefault()} onClick=${ask}
    >${TEXT.chat.askSelection}</button>
  `;
}

/** Where nothing is selected, the question is yet to be written. */
function goToField() {
  openChat();
  requestAnimationFrame(() => document.getElementById("question")?.focus());
}

/** Null where nothing is selected that can be asked about.
 *  @returns {Selected | null} */
function read() {
  const selection = getSelection();
  if (selection === null || selection.isCollapsed || selection.rangeCount === 0) return null;
  const range = selection.getRangeAt(0);
  const { commonAncestorContainer: within } = range;
  const element = within instanceof Element ? within : within.parentElement;
  const text = selection.toString();
  if (element?.closest(QUOTED) == null || text.trim() === "") return null;
  return { text, box: range.getBoundingClientRect() };
}

/** Below what is selected, and within the window.
 *  @param {HTMLElement} button
 *  @param {DOMRect} box */
function moveTo(button, box) {
  const { width, height } = button.getBoundingClientRect();
  button.style.setProperty("--left", `${within(box.left, innerWidth - width)}px`);
  button.style.setProperty("--top", `${within(box.bottom + ROOM_PIXELS, innerHeight - height)}px`);
}

/** @param {number} place
 *  @param {number} end */
function within(place, end) {
  return Math.max(ROOM_PIXELS, Math.min(place, end - ROOM_PIXELS));
}
