// The field for a question. Its words stay until the question has been taken in.

import { openReply, whyClosed } from "../state/chat_state.js";
import { withQuotation } from "../state/quotation.js";
import { isActionOff, shownMoment } from "../stores/connection.js";
import { MOST_CHARACTERS, QuestionStore } from "../stores/question_store.js";
import { html, useLayoutEffect, useMemo, useRef } from "../ui.js";
import { closedWords } from "../words/chat_words.js";
import { TEXT } from "../words/language.js";
import { Answer } from "./keyed_request.js";
import { ReplyCancelling } from "./reply_cancelling.js";

/** @param {{ store: import("../stores/session_store.js").SessionStore }} props */
export function Asking({ store }) {
  store.version.value;
  store.story.count.value;
  /** @type {{ current: HTMLTextAreaElement | null }} */
  const field = useRef(null);
  const question = useMemo(() => new QuestionStore(store, (words) => forget(field.current, words)), [store]);
  useLayoutEffect(() => question.look());
  const reply = openReply(store.session)?.stage_id ?? null;
  useLayoutEffect(() => {
    question.answer.value = "";
  }, [reply]);
  const isPast = shownMoment.value !== null;
  const why = closedWords(isPast ? "past" : whyClosed(store.session, store.detail.value?.chat_enabled !== false));
  const isClosed = question.isSending.value || why !== "";
  useKeptFocus(field, isClosed);
  const { quotation } = store;
  useLayoutEffect(() => {
    if (quotation.value === "" || isClosed) return;
    if (field.current !== null) quote(field.current, quotation.value);
    quotation.value = "";
  }, [quotation.value, isClosed]);

  /** @param {Event} event */
  function ask(event) {
    event.preventDefault();
    if (!isClosed && !isActionOff.value) question.ask(field.current?.value ?? "");
  }

  /** @param {KeyboardEvent} event */
  function press(event) {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) ask(event);
  }

  return html`
    <form class="asking" onSubmit=${ask}>
      <label for="question">${TEXT.chat.label}</label>
      <textarea
        id="question" rows="3" aria-describedby="closed" ref=${field} disabled=${isClosed} onKeyDown=${press}
      ></textarea>
      <div class="row">
        <button type="submit" class=${isClosed ? "" : "primary"} disabled=${isClosed || isActionOff.value}>${TEXT.chat.ask}</button>
        <p class="quiet" id="closed" hidden=${why === ""}>${why}</p>
        ${reply !== null && html`<${ReplyCancelling} id=${store.id} answer=${question.answer} />`}
      </div>
      <${Answer} answer=${question.answer} />
    </form>
  `;
}

/** @param {HTMLTextAreaElement | null} field
 *  @param {string} words */
function forget(field, words) {
  if (field?.value === words) field.value = "";
}

/** The question goes on behind it.
 *  @param {HTMLTextAreaElement} field
 *  @param {string} selected */
function quote(field, selected) {
  field.value = withQuotation(field.value, selected, MOST_CHARACTERS);
  field.focus();
  field.setSelectionRange(field.value.length, field.value.length);
  field.scrollTop = field.scrollHeight;
}

/** A field that was closed under somebody's hands gets the focus back, unless they went on elsewhere.
 *  @param {{ current: HTMLTextAreaElement | null }} field
 *  @param {boolean} isClosed */
function useKeptFocus(field, isClosed) {
  const hadFocus = useRef(false);
  if (isClosed && field.current !== null && document.activeElement === field.current) hadFocus.current = true;
  useLayoutEffect(() => {
    if (isClosed || !hadFocus.current) return;
    hadFocus.current = false;
    if (document.activeElement === document.body) field.current?.focus({ preventScroll: true });
  }, [isClosed]);
}
