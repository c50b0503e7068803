// One item of the timeline, by its type.

import { element, show, write } from "../elements.js";
import { markdown } from "../markdown.js";
import { callBody } from "./call.js";

const LABELS = {
  llm_thinking: "Thinking",
  llm_response: "Response",
  llm_tool_call: "Tool call",
  mcp_tool_summary: "Summary of the result",
  final_analysis: "Final analysis",
  error: "Error",
  alert_repeated: "The alert came again",
  request: "Request",
};
const MARKDOWN = new Set(["llm_response", "mcp_tool_summary", "final_analysis"]);

export function itemView(item) {
  const label = element("span", { class: "label" }, Object.hasOwn(LABELS, item.type) ? LABELS[item.type] : item.type);
  const agent = element("span", { class: "agent" });
  const node = element("li", { class: "item", "data-type": item.type });
  const body = bodyOf(item);
  node.append(element("div", { class: "line" }, label, agent), body.node);

  /** `isAbove`: this is the final analysis, which the page shows above the timeline. */
  function update(now, agentName, isAbove) {
    node.dataset.status = now.status;
    write(agent, agentName);
    const isSaid = isAbove && now.type === "final_analysis";
    show(node, !isSaid);
    if (!isSaid) body.update(now, isAbove);
  }

  return { node, update };
}

function bodyOf(item) {
  if (item.type === "llm_tool_call") return callBody();
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

  function update(item, isAbove) {
    if (item.status !== "completed") {
      if (drawn !== "") node.replaceChildren(growing);
      drawn = "";
      write(growing, item.content);
      return;
    }
    const key = `${isAbove} ${item.content}`;
    if (drawn === key) return;
    drawn = key;
    node.replaceChildren(isAbove ? folded(item.content) : markdown(item.content), ...cutNote(item));
  }

  return { node, update };
}

function folded(content) {
  const fold = element("details", { class: "fold" }, element("summary", {}, "This is the final analysis above"));
  fold.addEventListener("toggle", () => fold.append(markdown(content)), { once: true });
  return fold;
}

function cutNote(item) {
  return item.metadata.display_cut === true ? [element("p", { class: "quiet" }, "The rest is not shown here.")] : [];
}
