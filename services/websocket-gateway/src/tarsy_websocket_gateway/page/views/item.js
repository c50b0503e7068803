// One item of the timeline, by its type.

import { element, show, write } from "../elements.js";
import { markdown } from "../markdown.js";
import { counted } from "../words/wording.js";
import { approvalBody } from "./approval.js";
import { callBody } from "./call.js";
import { questionBody } from "./question.js";
import { resultReader } from "./result_reader.js";
import { runbookBody } from "./runbook.js";

const LABELS = {
  llm_thinking: "Thinking",
  llm_response: "Response",
  llm_tool_call: "Tool call",
  mcp_tool_summary: "Summary of the result",
  final_analysis: "Final analysis",
  error: "Error",
  alert_repeated: "The alert came again",
  alert_resolved: "The alert is resolved",
  request: "Request",
  provider_fallback: "Another model",
  executive_summary: "Executive summary",
  runbook: "Runbook",
  llm_wait: "Waiting",
  user_question: "Question",
  approval: "Approval",
};
const MARKDOWN = new Set(["llm_response", "mcp_tool_summary", "final_analysis", "executive_summary"]);
const ABOVE = new Set(["final_analysis", "executive_summary"]);

export function itemView(item) {
  const label = element("span", { class: "label" });
  const node = element("li", { class: "item", "data-type": item.type });
  const body = bodyOf(item);
  node.append(element("div", { class: "line" }, label), body.node);

  /** `above`: the name of what the page shows above the timeline, when this is the same text. */
  function update(now, above) {
    node.dataset.status = now.status;
    if (isNoWorry(now)) node.dataset.quiet = "";
    write(label, labelOf(now));
    const isSaid = above !== "" && ABOVE.has(now.type);
    show(node, !isSaid);
    if (!isSaid) body.update(now, above);
  }

  return { node, update };
}

/** The question is asked again, or nobody waits for its answer any longer. */
function isNoWorry({ type, status, metadata }) {
  return type === "error" && (metadata.retry === true || status === "cancelled");
}

function labelOf(item) {
  if (item.type === "approval" && item.status === "streaming") return "A call waits for a person";
  if (isNoWorry(item)) return item.status === "cancelled" ? "Stopped" : "The model did not answer";
  return Object.hasOwn(LABELS, item.type) ? LABELS[item.type] : item.type;
}

function bodyOf(item) {
  if (item.type === "llm_tool_call") return callBody();
  if (item.type === "approval") return approvalBody();
  if (item.type === "runbook") return runbookBody();
  if (item.type === "user_question") return questionBody();
  return MARKDOWN.has(item.type) ? spoken() : plain();
}

function plain() {
  const node = element("div", { class: "body text" });
  return { node, update: (item) => write(node, item.content) };
}

/** Text while it streams; Markdown when it is whole; folded when it stands above. */
function spoken() {
  const node = element("div", { class: "body" });
  const growing = element("div", { class: "text" });
  let drawn = null;

  function update(item, above) {
    if (item.status !== "completed") {
      if (drawn !== "") node.replaceChildren(growing);
      drawn = "";
      write(growing, item.content);
      return;
    }
    const key = `${above} ${item.content}`;
    if (drawn === key) return;
    drawn = key;
    const text = above === "" ? markdown(item.content) : folded(item.content, above);
    node.replaceChildren(text, ...cutNote(item), ...reminder(item), ...summaryNote(item), ...original(item));
  }

  return { node, update };
}

function folded(content, above) {
  const fold = element("details", { class: "fold" }, element("summary", {}, `This is the ${above} above`));
  fold.addEventListener("toggle", () => fold.append(markdown(content)), { once: true });
  return fold;
}

/** Nothing followed from the answer, and the agent was told so. */
function reminder({ metadata }) {
  if (typeof metadata.reminder !== "string") return [];
  return [element("p", { class: "quiet" }, `The agent was reminded: ${metadata.reminder}`)];
}

/** The model of a summary, and what the agent did not have to read. */
function summaryNote({ metadata }) {
  const { model, tokens_before: before, tokens_after: after } = metadata;
  if (!Number.isFinite(before) || !Number.isFinite(after)) return [];
  return [
    element(
      "p",
      { class: "quiet" },
      `${model}: about ${counted(before, "token")} became ${after.toLocaleString("en")}`,
    ),
  ];
}

/** What a summary was made of. */
function original({ type, sessionId, metadata }) {
  if (type !== "mcp_tool_summary" || !metadata.call_id) return [];
  return [resultReader(sessionId, metadata.call_id, "Show the whole result")];
}

function cutNote(item) {
  return item.metadata.display_cut === true ? [element("p", { class: "quiet" }, "The rest is not shown here.")] : [];
}
