// The field for a question. Its words stay until the question has been taken in.

import { askSession, mayRepeat, newKey } from "../net/api.js";
import { hasQuestion, openReply, whyClosed } from "../state/chat_state.js";
import { element, show, write } from "../elements.js";
import { counted } from "../words/wording.js";
import { replyCancelling } from "./reply_cancelling.js";

const MOST_CHARACTERS = 100_000;

export function asking(id) {
  const label = element("label", { for: "question" }, "Ask the investigation");
  const field = element("textarea", { id: "question", rows: "3", "aria-describedby": "closed" });
  const send = element("button", { type: "submit" }, "Ask");
  const closed = element("p", { class: "quiet", id: "closed" });
  const answer = element("p", { class: "answer", role: "status" });
  const cancel = replyCancelling(id, answer);
  const row = element("div", { class: "row" }, send, closed, cancel.node);
  const node = element("form", { class: "asking" }, label, field, row, answer);
  let isChatEnabled = true;
  let session = null;
  let isSending = false;
  let hadFocus = false;
  let shownReply = null;
  // The same words again are the same question, until its owner has answered.
  let attempt = null;

  function about(detail) {
    isChatEnabled = detail.chat_enabled !== false;
  }

  function draw() {
    const why = whyClosed(session, isChatEnabled);
    const isClosed = isSending || why !== "";
    write(closed, why);
    show(closed, why !== "");
    hadFocus ||= isClosed && document.activeElement === field;
    field.disabled = send.disabled = isClosed;
    if (isClosed || !hadFocus) return;
    hadFocus = false;
    if (document.activeElement === document.body) field.focus({ preventScroll: true });
  }

  async function ask() {
    const content = field.value;
    if (field.disabled || content.trim() === "") return;
    const count = [...content].length;
    if (count > MOST_CHARACTERS) {
      write(
        answer,
        `Not asked: at most ${counted(MOST_CHARACTERS, "character")} fit, and these are ${counted(count, "character")}.`,
      );
      return;
    }
    if (attempt?.content !== content) attempt = { content, key: newKey(), messageId: null };
    isSending = true;
    write(answer, "Asking …");
    draw();
    await submit(attempt);
    isSending = false;
    draw();
  }

  async function submit(asked) {
    try {
      const sent = await askSession(id, asked.content, asked.key);
      asked.messageId = sent.message_id;
      if (sent.accepted) finish(asked);
      else write(answer, "The question was taken in, and is not answered yet. It stands above once it is.");
    } catch (problem) {
      write(answer, `Not asked: ${problem.message}`);
      if (!mayRepeat(problem)) attempt = null;
    }
  }

  function finish(asked) {
    if (field.value === asked.content) field.value = "";
    attempt = null;
    write(answer, "");
  }

  function update(now) {
    session = now;
    if (attempt !== null && attempt.messageId !== null && hasQuestion(session, attempt.messageId)) finish(attempt);
    const reply = openReply(session)?.stage_id ?? null;
    if (reply !== shownReply) write(answer, "");
    shownReply = reply;
    cancel.update(reply !== null);
    draw();
  }

  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    ask();
  });
  node.addEventListener("submit", (event) => {
    event.preventDefault();
    ask();
  });
  return { node, about, update };
}
