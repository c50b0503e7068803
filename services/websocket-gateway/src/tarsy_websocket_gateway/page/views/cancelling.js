// The button that cancels, asks once more, and shows the answer.

import { element, show } from "../elements.js";
import { cancelRequest } from "./cancel_request.js";

const CANCELLABLE = new Set(["pending", "in_progress"]);

export function cancelling(id) {
  const first = element("button", { type: "button" }, "Cancel");
  const yes = element("button", { type: "button", class: "danger" }, "Yes, cancel it");
  const no = element("button", { type: "button" }, "No, go on");
  const question = element("span", { class: "question" }, "Cancel this investigation?", yes, no);
  const answer = element("p", { class: "answer", role: "status" });
  const node = element("div", { class: "cancelling" }, first, question, answer);
  const cancel = cancelRequest(id, yes, answer);
  let isPossible = false;
  let isAsking = false;

  function draw() {
    show(first, isPossible && !isAsking);
    show(question, isPossible && isAsking);
  }

  function ask(asks) {
    isAsking = asks;
    draw();
  }

  function update(session) {
    isPossible = CANCELLABLE.has(session.status);
    draw();
  }

  first.addEventListener("click", () => {
    ask(true);
    no.focus();
  });
  no.addEventListener("click", () => {
    ask(false);
    first.focus();
  });
  yes.addEventListener("click", async () => {
    await cancel();
    ask(false);
  });
  draw();
  return { node, update };
}
