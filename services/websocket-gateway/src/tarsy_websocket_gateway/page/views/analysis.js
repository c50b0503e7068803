// The result of the investigation: in short, and whole.

import { element, show, write } from "../elements.js";
import { markdown } from "../markdown.js";

export function executiveSummary() {
  const { node, update: draw } = box("executive", "Executive summary", (session) => session.executiveSummary);
  const failure = element("p", { class: "quiet" });
  const whole = element("div", { class: "short" }, node, failure);

  function update(session) {
    draw(session);
    write(failure, `There is no executive summary: ${session.executiveSummaryError}`);
    show(failure, session.executiveSummaryError !== "");
    show(whole, session.executiveSummary !== "" || session.executiveSummaryError !== "");
  }

  show(whole, false);
  return { node: whole, update };
}

export function finalAnalysis() {
  return box("analysis", "Final analysis", (session) => session.finalAnalysis);
}

function box(name, title, textOf) {
  const body = element("div");
  const node = element("section", { class: name, "aria-labelledby": name });
  node.append(element("h2", { id: name }, title), body);
  show(node, false);
  let shown = "";

  function update(session) {
    if (textOf(session) === shown) return;
    shown = textOf(session);
    body.replaceChildren(markdown(shown));
    show(node, shown !== "");
  }

  return { node, update };
}
