// The button that cancels, asks once more, and shows the answer.

import { cancelSession, mayRepeat, newKey } from "../api.js";
import { element, show, write } from "../elements.js";

const CANCELLABLE = new Set(["pending", "in_progress"]);

export function cancelling(id) {
  const first = element("button", { type: "button" }, "Cancel");
  const yes = element("button", { type: "button", class: "danger" }, "Yes, cancel it");
  const no = element("button", { type: "button" }, "No, go on");
  const question = element("span", { class: "question" }, "Cancel this investigation?", yes, no);
  const answer = element("p", { class: "answer", role: "status" });
  const node = element("div", { class: "cancelling" }, first, question, answer);
  let key = newKey();
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

  async function cancel() {
    yes.disabled = true;
    write(answer, "Asking …");
    try {
      write(answer, (await cancelSession(id, key)).message);
      key = newKey();
    } catch (problem) {
      write(answer, `Not cancelled: ${problem.message}`);
      if (!mayRepeat(problem)) key = newKey();
    }
    yes.disabled = false;
    ask(false);
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
  yes.addEventListener("click", cancel);
  draw();
  return { node, update };
}
