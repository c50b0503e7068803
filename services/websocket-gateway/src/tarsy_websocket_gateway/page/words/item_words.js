// What items of the story are called, and how much they matter.

/** @typedef {import("../state/item_types.js").Item} Item
 *  @typedef {import("../state/repetition.js").Standing} Standing */

/** @type {Record<string, string>} */
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
const CONCLUSIONS = new Set(["approval", "user_question", "request", "alert_repeated", "alert_resolved"]);
const STEPS = new Set(["llm_response", "llm_tool_call", "error", "provider_fallback", "runbook"]);

/** @param {Item} item
 *  @param {Standing} standing */
export function labelOf(item, { isConclusion }) {
  if (item.type === "approval" && item.status === "streaming") return "A call waits for a person";
  if (isNoWorry(item)) return item.status === "cancelled" ? "Stopped" : "The model did not answer";
  if (item.type === "llm_response" && isConclusion) return "Final analysis";
  return Object.hasOwn(LABELS, item.type) ? String(LABELS[item.type]) : item.type;
}

/** The question is asked again, or nobody waits for its answer any longer.
 *  @param {Item} item */
export function isNoWorry({ type, status, metadata }) {
  return type === "error" && (metadata.retry === true || status === "cancelled");
}

/** Which choice of the story shows it: conclusions, steps (and those), or everything.
 *  @param {Item} item
 *  @param {Standing} standing
 *  @returns {"conclusion" | "step" | "detail"} */
export function levelOf(item, { isConclusion }) {
  if (isConclusion || CONCLUSIONS.has(item.type)) return "conclusion";
  if (isNoWorry(item)) return "detail";
  if (item.type === "error" || item.metadata.repeatable === false) return "conclusion";
  return STEPS.has(item.type) ? "step" : "detail";
}
