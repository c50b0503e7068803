// The request that cancels: a button sends it, and its answer is shown.

import { cancelSession, mayRepeat, newKey } from "../net/api.js";
import { write } from "../elements.js";

/** Returns what `button` does when it is pressed. `answer` is where the answer is written. */
export function cancelRequest(id, button, answer) {
  let key = newKey();

  return async function cancel() {
    button.disabled = true;
    write(answer, "Asking …");
    try {
      write(answer, (await cancelSession(id, key)).message);
      key = newKey();
    } catch (problem) {
      write(answer, `Not cancelled: ${problem.message}`);
      if (!mayRepeat(problem)) key = newKey();
    }
    button.disabled = false;
  };
}
