// The result of the investigation.

import { element, show } from "../elements.js";
import { markdown } from "../markdown.js";

export function finalAnalysis() {
  const body = element("div");
  const node = element("section", { class: "analysis", "aria-labelledby": "analysis" });
  node.append(element("h2", { id: "analysis" }, "Final analysis"), body);
  show(node, false);
  let shown = "";

  function update(session) {
    if (session.finalAnalysis === shown) return;
    shown = session.finalAnalysis;
    body.replaceChildren(markdown(shown));
    show(node, shown !== "");
  }

  return { node, update };
}
