// The request that cancels, and what is said of it.

import { cancelSession, mayRepeat, newKey } from "../net/api.js";
import { html, useRef, useSignal } from "../ui.js";
import { messageOf } from "../words/problems.js";

/** `answer` is where its answer is written; both come from `useCancelRequest`.
 *  @typedef {{ send: () => Promise<void>, isAsking: boolean }} CancelRequest */

/** @param {string} id  of the session
 *  @param {import("@preact/signals").Signal<string>} answer
 *  @returns {CancelRequest} */
export function useCancelRequest(id, answer) {
  const isAsking = useSignal(false);
  const key = useRef(newKey());

  async function send() {
    isAsking.value = true;
    answer.value = "Asking …";
    try {
      answer.value = (await cancelSession(id, key.current)).message;
      key.current = newKey();
    } catch (problem) {
      answer.value = `Not cancelled: ${messageOf(problem)}`;
      if (!mayRepeat(problem)) key.current = newKey();
    }
    isAsking.value = false;
  }

  return { send, isAsking: isAsking.value };
}

/** @param {{ answer: import("@preact/signals").Signal<string> }} props */
export function Answer({ answer }) {
  return html`<p class="answer" role="status">${answer.value}</p>`;
}
