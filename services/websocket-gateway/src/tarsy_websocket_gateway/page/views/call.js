// A tool call: one line, which unfolds to its arguments and its result. What is folded is not in the page.

import { argumentLine, argumentLines } from "../words/call_arguments.js";
import { element, show, write } from "../elements.js";
import { counted, duration, size } from "../words/wording.js";
import { resultReader } from "./result_reader.js";
import { statusChip } from "./old_status.js";

const PREVIEW = 120;
const OUTCOMES = {
  ok: "completed",
  tool_error: "failed",
  unavailable: "failed",
  rejected: "failed",
  unknown: "failed",
  cancelled: "cancelled",
};

export function callBody() {
  const tool = element("code", { class: "tool" });
  const preview = element("code", { class: "preview" });
  const outcome = element("span", { class: "outcome" });
  const progress = element("span", { class: "progress" });
  const inner = element("div", { class: "inside" });
  const fold = element("details", { class: "call" }, element("summary", {}, tool, preview, outcome, progress), inner);
  const node = element("div", { class: "body" }, fold);
  let shown = null;

  function fill() {
    inner.replaceChildren(...(fold.open ? inside(shown) : []));
  }

  function update(item) {
    write(progress, item.progress?.text ?? "");
    show(progress, item.progress !== null);
    const isNew = shown === null || shown.status !== item.status;
    shown = { ...item };
    if (!isNew) return;
    const { server_name: server, tool_name: name, arguments: given } = item.metadata;
    write(tool, `${server}.${name}`);
    write(preview, short(given));
    outcome.replaceChildren(...outcomeOf(item));
    if (fold.open) fill();
  }

  fold.addEventListener("toggle", fill);
  return { node, update };
}

function outcomeOf({ status, metadata }) {
  const { outcome, lines, size: bytes, duration_ms: took, repeatable } = metadata;
  const about = [
    repeatable === false ? "changes something" : null,
    Number.isFinite(lines) ? counted(lines, "line") : null,
    Number.isFinite(bytes) ? size(bytes) : null,
    Number.isFinite(took) ? duration(took) : null,
  ];
  const chip = statusChip(Object.hasOwn(OUTCOMES, outcome ?? "") ? OUTCOMES[outcome] : status);
  if (outcome !== undefined) write(chip, outcome.replaceAll("_", " "));
  return [chip, element("span", { class: "quiet" }, about.filter((part) => part !== null).join(" · "))];
}

function short(given) {
  const text = argumentLine(given);
  return text.length > PREVIEW ? `${text.slice(0, PREVIEW)}…` : text;
}

function inside({ sessionId, status, content, metadata }) {
  const result = element("pre", { class: "data", tabindex: "0" }, content);
  const parts = [element("h3", {}, "Arguments"), element("pre", { class: "data", tabindex: "0" })];
  parts[1].textContent = argumentLines(metadata.arguments);
  parts.push(element("h3", {}, "Result"));
  if (status === "streaming") parts.push(element("p", { class: "quiet" }, "It is not there yet."));
  else if (content === "") parts.push(element("p", { class: "quiet" }, "It is empty."));
  else parts.push(result);
  if (metadata.display_cut === true || metadata.cut === true) {
    parts.push(element("p", { class: "quiet" }, `Only the beginning is shown, of ${counted(metadata.lines, "line")}.`));
    if (metadata.call_id) parts.push(resultReader(sessionId, metadata.call_id, "Show the rest"));
  }
  return parts;
}
