// The button that cancels the reply that is being written. The session stays as it ended.

import { isActionOff } from "../stores/connection.js";
import { html } from "../ui.js";
import { TEXT } from "../words/language.js";
import { useCancelRequest } from "./cancel_request.js";

/** `answer` is where the answer is written.
 *  @param {{ id: string, answer: import("@preact/signals").Signal<string> }} props */
export function ReplyCancelling({ id, answer }) {
  const request = useCancelRequest(id, answer);
  const isOff = request.isAsking || isActionOff.value;
  return html`<button type="button" disabled=${isOff} onClick=${request.send}>${TEXT.chat.cancelReply}</button>`;
}
