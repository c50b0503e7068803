// A question, its reply, and what people wanted of it.

import { element, show, write } from "../elements.js";
import { hasEnded } from "../words/wording.js";
import { itemList } from "./item_list.js";
import { setStatus, statusChip } from "./old_status.js";

export function turn() {
  const asked = itemList();
  const requests = itemList();
  const chip = statusChip("");
  const error = element("p", { class: "failure" });
  const reply = element("div", { class: "reply" });
  const end = element("p", { class: "row end" }, chip, error);
  const node = element("li", { class: "turn" }, asked.node, reply, requests.node, end);
  show(end, false);

  /** `stage` is the reply's. One that ended well needs no word. */
  function update(stage) {
    node.classList.toggle("running", !hasEnded(stage.status));
    setStatus(chip, stage.status);
    write(error, stage.error_message ?? "");
    show(end, stage.status !== "completed");
  }

  /** The list that this agent's items go to. */
  function addAgent() {
    const list = itemList();
    reply.append(list.node);
    return list;
  }

  return { node, asked, requests, update, addAgent, updateAgent() {} };
}
