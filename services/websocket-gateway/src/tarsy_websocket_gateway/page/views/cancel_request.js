// The request that cancels what runs of a session.

import { cancelSession } from "../net/api.js";
import { TEXT } from "../words/language.js";
import { useKeyedRequest } from "./keyed_request.js";

/** `answer` is where its answer is written. `reason` says why, when it is sent.
 *  @param {string} id  of the session
 *  @param {import("@preact/signals").Signal<string>} answer
 *  @param {() => string} reason */
export function useCancelRequest(id, answer, reason = () => "") {
  return useKeyedRequest(
    answer,
    TEXT.cancelling.failed,
    async (key) => (await cancelSession(id, key, reason())).message,
  );
}
