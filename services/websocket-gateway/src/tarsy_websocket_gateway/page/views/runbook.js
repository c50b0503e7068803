// The runbook: where it comes from, and folded what it says, or why it is not there.

import { element, write } from "../elements.js";
import { markdown } from "../markdown.js";

export function runbookBody() {
  const address = element("code", { class: "address" });
  const said = element("div");
  const node = element("div", { class: "body" }, address, said);
  let drawn = "";

  function update(item) {
    write(address, String(item.metadata.arguments?.url ?? ""));
    const key = `${item.status} ${item.content}`;
    if (drawn === key) return;
    drawn = key;
    said.replaceChildren(inside(item));
  }

  return { node, update };
}

function inside({ status, content }) {
  if (status === "streaming") return element("p", { class: "quiet" }, "It is being fetched.");
  if (status !== "completed") {
    return element("p", { class: "quiet" }, `It could not be fetched, and the agents use the default one: ${content}`);
  }
  const fold = element("details", { class: "fold" }, element("summary", {}, "What it says"));
  fold.addEventListener("toggle", () => fold.append(markdown(content)), { once: true });
  return fold;
}
