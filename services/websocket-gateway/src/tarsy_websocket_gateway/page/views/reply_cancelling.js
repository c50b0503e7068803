// The button that cancels the reply that is being written. The session stays as it ended.

import { cancelSession, mayRepeat, newKey } from "../api.js";
import { element, show, write } from "../elements.js";

/** `answer` is where the answer is written. */
export function replyCancelling(id, answer) {
  const node = element("button", { type: "button" }, "Cancel the reply");
  let key = newKey();

  async function cancel() {
    node.disabled = true;
    write(answer, "Asking …");
    try {
      write(answer, (await cancelSession(id, key)).message);
      key = newKey();
    } catch (problem) {
      write(answer, `Not cancelled: ${problem.message}`);
      if (!mayRepeat(problem)) key = newKey();
    }
    node.disabled = false;
  }

  function update(isPossible) {
    show(node, isPossible);
  }

  node.addEventListener("click", cancel);
  show(node, false);
  return { node, update };
}
