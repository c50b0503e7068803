// A question: who asked it, when, and in which words. They are text, whatever they look like.

import { element, show, write } from "../elements.js";
import { timeOf } from "./old_clock.js";

export function questionBody() {
  const author = element("span", { class: "author" });
  const when = element("span", { class: "quiet" });
  const text = element("p", { class: "text" });
  const cut = element("p", { class: "quiet" }, "The rest is not shown here.");
  const node = element("div", { class: "body" }, element("p", { class: "row" }, author, when), text, cut);

  function update(item) {
    write(author, item.metadata.author ?? "");
    when.replaceChildren(...(item.time === null ? [] : [timeOf(item.time)]));
    write(text, item.content);
    show(cut, item.metadata.display_cut === true);
  }

  return { node, update };
}
