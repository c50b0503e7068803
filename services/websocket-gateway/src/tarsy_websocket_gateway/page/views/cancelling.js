// The button that cancels, asks once more, and shows the answer.

import { isActionOff } from "../stores/connection.js";
import { html, useLayoutEffect, useRef, useSignal } from "../ui.js";
import { TEXT } from "../words/language.js";
import { hasEnded } from "../words/wording.js";
import { useCancelRequest } from "./cancel_request.js";
import { Confirmation } from "./confirmation.js";
import { Answer } from "./keyed_request.js";

const LONGEST_REASON = 1000;
const CANCELLABLE = new Set(["pending", "in_progress"]);

/** @param {{ id: string, status: string | null }} props */
export function Cancelling({ id, status }) {
  const answer = useSignal("");
  const isAsked = useSignal(false);
  const reason = useRef(/** @type {HTMLInputElement | null} */ (null));
  const request = useCancelRequest(id, answer, () => reason.current?.value.trim() ?? "");
  const first = useRef(/** @type {HTMLButtonElement | null} */ (null));
  const isLeft = useRef(false);
  const isPossible = status !== null && CANCELLABLE.has(status);
  // The button has the focus again when its question is left.
  useLayoutEffect(() => {
    if (isLeft.current) first.current?.focus();
    isLeft.current = false;
  }, [isAsked.value]);

  const ask = () => {
    isAsked.value = true;
  };
  const leave = () => {
    isLeft.current = true;
    isAsked.value = false;
  };
  async function cancel() {
    await request.send();
    isAsked.value = false;
  }

  return html`
    <div class="cancelling">
      ${
        isPossible &&
        !isAsked.value &&
        html`<button type="button" ref=${first} disabled=${isActionOff.value} onClick=${ask}>${TEXT.cancelling.act}</button>`
      }
      ${
        isPossible &&
        isAsked.value &&
        html`
        <${Confirmation} question=${TEXT.cancelling.question} yes=${TEXT.cancelling.yes} no=${TEXT.cancelling.no} danger
                         isOff=${isActionOff.value} isBusy=${request.isAsking} confirm=${cancel} leave=${leave}>
          <input ref=${reason} type="text" maxlength=${LONGEST_REASON} disabled=${request.isAsking}
                 aria-label=${TEXT.cancelling.reason} placeholder=${TEXT.cancelling.reason} />
        <//>
      `
      }
      ${!hasEnded(status) && html`<${Answer} answer=${answer} />`}
    </div>
  `;
}
