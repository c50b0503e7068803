// A request that a button sends, and what is said of it. While nobody knows whether it was done, the next one has the
// same key, so that it is not done twice.

import { mayRepeat, newKey } from "../net/api.js";
import { html, useRef, useSignal } from "../ui.js";
import { TEXT } from "../words/language.js";
import { messageOf } from "../words/problems.js";
import { say } from "../words/say.js";

/** `send` returns whether it was done, and writes what `act` returns, or why it failed, into the answer.
 *  @typedef {{ send: () => Promise<boolean>, isAsking: boolean }} KeyedRequest */

/** `failed`: how an answer begins that says why it was not done.
 *  @param {import("@preact/signals").Signal<string>} answer
 *  @param {string} failed
 *  @param {(key: string) => Promise<string>} act
 *  @returns {KeyedRequest} */
export function useKeyedRequest(answer, failed, act) {
  const isAsking = useSignal(false);
  const key = useRef(newKey());

  async function send() {
    isAsking.value = true;
    answer.value = TEXT.page.asking;
    try {
      answer.value = await act(key.current);
      key.current = newKey();
      return true;
    } catch (problem) {
      answer.value = say(TEXT.page.failure, { what: failed, why: messageOf(problem) });
      if (!mayRepeat(problem)) key.current = newKey();
      return false;
    } finally {
      isAsking.value = false;
    }
  }

  return { send, isAsking: isAsking.value };
}

/** @param {{ answer: import("@preact/signals").Signal<string> }} props */
export function Answer({ answer }) {
  return html`<p class="answer" role="status">${answer.value}</p>`;
}
