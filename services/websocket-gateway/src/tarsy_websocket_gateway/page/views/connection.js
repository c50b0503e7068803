// The line that says whether what is shown is live.

import { write } from "../elements.js";

const WORDS = { connecting: "Connecting …", live: "Live", lost: "Connection lost, trying again" };

export function connectionLine(node) {
  function say(state) {
    node.dataset.state = state;
    write(node, WORDS[state]);
  }
  say("connecting");
  return { live: () => say("live"), lost: () => say("lost") };
}
