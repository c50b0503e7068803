// The button that cancels the reply that is being written. The session stays as it ended.

import { element, show } from "../elements.js";
import { cancelRequest } from "./cancel_request.js";

/** `answer` is where the answer is written. */
export function replyCancelling(id, answer) {
  const node = element("button", { type: "button" }, "Cancel the reply");

  function update(isPossible) {
    show(node, isPossible);
  }

  node.addEventListener("click", cancelRequest(id, node, answer));
  show(node, false);
  return { node, update };
}
