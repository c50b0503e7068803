// A question to the investigation: it is sent once, however often it is asked, until its owner has answered.

import { askSession, mayRepeat, newKey } from "../net/api.js";
import { hasQuestion } from "../state/chat_state.js";
import { lengthOf } from "../state/quotation.js";
import { signal } from "../ui.js";
import { tooLongWords } from "../words/chat_words.js";
import { TEXT } from "../words/language.js";
import { messageOf } from "../words/problems.js";
import { say } from "../words/say.js";

export const MOST_CHARACTERS = 100_000;

/** @typedef {{ content: string, key: string, messageId: string | null }} Attempt */

export class QuestionStore {
  /** What is said of the question. */
  answer = signal("");
  isSending = signal(false);
  #store;
  #takenIn;
  /** The same words again are the same question.
   *  @type {Attempt | null} */
  #attempt = null;

  /** `takenIn` is called with the words of a question once it stands in the chat.
   *  @param {import("./session_store.js").SessionStore} store
   *  @param {(words: string) => void} takenIn */
  constructor(store, takenIn) {
    this.#store = store;
    this.#takenIn = takenIn;
  }

  /** Sees whether the question stands in the chat by now. */
  look() {
    const attempt = this.#attempt;
    if (attempt === null || attempt.messageId === null) return;
    if (hasQuestion(this.#store.session, attempt.messageId)) this.#finish(attempt);
  }

  /** @param {string} content */
  async ask(content) {
    if (this.isSending.value || content.trim() === "") return;
    const count = lengthOf(content);
    if (count > MOST_CHARACTERS) {
      this.answer.value = tooLongWords(count, MOST_CHARACTERS);
      return;
    }
    if (this.#attempt?.content !== content) this.#attempt = { content, key: newKey(), messageId: null };
    this.isSending.value = true;
    this.answer.value = TEXT.page.asking;
    await this.#submit(this.#attempt);
    this.isSending.value = false;
  }

  /** @param {Attempt} attempt */
  async #submit(attempt) {
    try {
      const sent = await askSession(this.#store.id, attempt.content, attempt.key);
      attempt.messageId = sent.message_id;
      if (sent.accepted) this.#finish(attempt);
      else this.answer.value = TEXT.chat.takenIn;
    } catch (problem) {
      this.answer.value = say(TEXT.page.failure, { what: TEXT.chat.notAsked, why: messageOf(problem) });
      if (!mayRepeat(problem)) this.#attempt = null;
    }
  }

  /** @param {Attempt} attempt */
  #finish(attempt) {
    this.#takenIn(attempt.content);
    this.#attempt = null;
    this.answer.value = "";
  }
}
