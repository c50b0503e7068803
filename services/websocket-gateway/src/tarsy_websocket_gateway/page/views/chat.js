// The chat below the timeline: what was asked and answered, and where to ask.

import { element, show } from "../elements.js";
import { asking } from "./asking.js";

/** `turns` are filled by the timeline, which draws all items. */
export function chat(id, turns) {
  const form = asking(id);
  const node = element("section", { class: "chat", "aria-labelledby": "chat" });
  node.append(element("h2", { id: "chat" }, "Chat"), turns.node, form.node);
  show(node, false);

  /** Nothing can be asked of a session that nobody knows. */
  function update(session) {
    show(node, session.status !== null);
    form.update(session);
  }

  return { node, about: form.about, update };
}
