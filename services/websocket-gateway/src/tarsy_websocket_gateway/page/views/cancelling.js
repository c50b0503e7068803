// The button that cancels, asks once more, and shows the answer.

import { isActionOff } from "../stores/connection.js";
import { html, useEffect, useRef, useSignal } from "../ui.js";
import { hasEnded } from "../words/wording.js";
import { useCancelRequest } from "./cancel_request.js";
import { Answer } from "./keyed_request.js";

const CANCELLABLE = new Set(["pending", "in_progress"]);

/** @param {{ id: string, status: string | null }} props */
export function Cancelling({ id, status }) {
  const answer = useSignal("");
  const isSure = useSignal(true);
  const request = useCancelRequest(id, answer);
  /** @type {{ current: HTMLButtonElement | null }} */
  const focused = useRef(null);
  const wasAsked = useRef(false);
  const isPossible = status !== null && CANCELLABLE.has(status);
  useEffect(() => {
    if (wasAsked.current) focused.current?.focus();
    wasAsked.current = false;
  }, [isSure.value]);

  /** @param {boolean} isCertain */
  function ask(isCertain) {
    wasAsked.current = true;
    isSure.value = isCertain;
  }

  async function cancel() {
    await request.send();
    isSure.value = true;
  }

  return html`
    <div class="cancelling">
      ${
        isPossible &&
        isSure.value &&
        html`
        <button key="first" ref=${focused} type="button" disabled=${isActionOff.value} onClick=${() => ask(false)}>Cancel</button>
      `
      }
      ${
        isPossible &&
        !isSure.value &&
        html`
        <span key="question" class="question">
          Cancel this investigation?
          <button type="button" class="danger" disabled=${request.isAsking || isActionOff.value} onClick=${cancel}>Yes, cancel it</button>
          <button ref=${focused} type="button" onClick=${() => ask(true)}>No, go on</button>
        </span>
      `
      }
      ${!hasEnded(status) && html`<${Answer} answer=${answer} />`}
    </div>
  `;
}
