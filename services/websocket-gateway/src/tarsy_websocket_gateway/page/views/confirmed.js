// A button that asks once more before it acts, and shows what came of it.

import { mayRepeat, newKey } from "../net/api.js";
import { html, useLayoutEffect, useRef, useSignal } from "../ui.js";
import { TEXT } from "../words/language.js";
import { say } from "../words/say.js";
import { Confirmation } from "./confirmation.js";

/** `question`: what is asked, or what finds out what there is to ask. `act` gets a key, the same one again where it may
 *  have been done already. `done` gets the answer, where it is shown elsewhere. `children`: fields of the question.
 *  @param {{ label: string, question: string | (() => Promise<string>), yes: string, danger?: boolean,
 *    act: (key: string) => Promise<string>, done?: (answer: string) => void,
 *    children?: import("preact").ComponentChildren }} props */
export function Confirmed({ label, question, yes, danger, act, done, children }) {
  const asked = useSignal("");
  const isBusy = useSignal(false);
  const answer = useSignal("");
  const key = useRef(newKey());
  const first = useRef(/** @type {HTMLButtonElement | null} */ (null));
  const isFocused = useRef(false);
  // The button has the focus again when its question is gone.
  useLayoutEffect(() => {
    if (isFocused.current) first.current?.focus();
    isFocused.current = false;
  }, [asked.value]);

  /** @param {() => Promise<string>} find */
  async function attempt(find) {
    isBusy.value = true;
    answer.value = "";
    try {
      return await find();
    } catch (thrown) {
      const problem = /** @type {import("../net/api.js").ApiError} */ (thrown);
      if (!mayRepeat(problem)) key.current = newKey();
      answer.value = say(TEXT.page.failure, { what: TEXT.confirmation.notDone, why: problem.message });
      return null;
    } finally {
      isBusy.value = false;
    }
  }

  async function ask() {
    asked.value = typeof question === "string" ? question : ((await attempt(question)) ?? "");
  }

  async function confirm() {
    const said = await attempt(() => act(key.current));
    isFocused.current = said === null || done === undefined;
    asked.value = "";
    if (said === null) return;
    key.current = newKey();
    if (done === undefined) answer.value = said;
    else done(said);
  }

  const leave = () => {
    isFocused.current = true;
    asked.value = "";
  };
  return html`
    <div class="confirmed">
      ${
        asked.value === ""
          ? html`<button type="button" ref=${first} disabled=${isBusy.value} onClick=${ask}>${label}</button>`
          : html`<${Confirmation} question=${asked.value} yes=${yes} danger=${danger} isBusy=${isBusy.value} confirm=${confirm} leave=${leave}>${children}<//>`
      }
      <span class="answer" role="status">${answer.value}</span>
    </div>
  `;
}
