// A tool call that waits for a person: what it would do and why, who may decide and until when, and two buttons. It shows
// what the log says: a decision is there when its event has come.

import { decideCall, mayRepeat, newKey } from "../net/api.js";
import { argumentLines } from "../words/call_arguments.js";
import { element, show, write } from "../elements.js";
import { timeOf } from "./old_clock.js";

const AT_THE_END = { deny: "the call is denied", fail: "the session fails" };
const LONGEST_COMMENT = 2000;

export function approvalBody() {
  const tool = element("code", { class: "tool" });
  const given = element("pre", { class: "data", tabindex: "0" });
  const reason = element("p", { class: "text" });
  const terms = element("p", { class: "quiet" });
  const said = element("p", { class: "text" });
  const deciding = decisionForm();
  const node = element(
    "div",
    { class: "body approval" },
    element("p", {}, tool),
    given,
    reason,
    terms,
    said,
    deciding.node,
  );
  let drawn = false;

  function draw({ metadata }) {
    write(tool, `${metadata.server_name}.${metadata.tool_name}`);
    given.textContent = argumentLines(metadata.arguments);
    write(reason, metadata.reason ?? "");
    const then = AT_THE_END[metadata.on_timeout] ?? "the wait ends";
    const until = metadata.expires_at ? [" until ", timeOf(metadata.expires_at), `; then ${then}`] : [];
    terms.replaceChildren(`Somebody with the role ${metadata.role} decides`, ...until, ".");
  }

  function update(item) {
    if (!drawn) draw(item);
    drawn = true;
    const isOpen = item.status === "streaming";
    write(said, isOpen ? "" : item.content);
    show(said, !isOpen);
    show(terms, isOpen);
    deciding.update(item, isOpen);
  }

  return { node, update };
}

function decisionForm() {
  const comment = element("input", {
    type: "text",
    maxlength: String(LONGEST_COMMENT),
    "aria-label": "Comment",
    placeholder: "Comment",
  });
  const approve = element("button", { type: "button" }, "Approve");
  const deny = element("button", { type: "button", class: "danger" }, "Deny");
  const answer = element("p", { class: "answer", role: "status" });
  const node = element("div", { class: "deciding" }, comment, approve, deny, answer);
  const keys = { approve: newKey(), deny: newKey() };
  let about = null;

  function enable(isEnabled) {
    for (const part of [comment, approve, deny]) part.disabled = !isEnabled;
  }

  async function decide(decision) {
    enable(false);
    write(answer, "Asking …");
    try {
      write(
        answer,
        (await decideCall(about.sessionId, about.metadata.call_id, decision, comment.value, keys[decision])).message,
      );
    } catch (problem) {
      write(answer, `Not decided: ${problem.message}`);
      if (!mayRepeat(problem)) keys[decision] = newKey();
      enable(true);
    }
  }

  function update(item, isOpen) {
    about = item;
    show(node, isOpen);
  }

  approve.addEventListener("click", () => decide("approve"));
  deny.addEventListener("click", () => decide("deny"));
  return { node, update };
}
