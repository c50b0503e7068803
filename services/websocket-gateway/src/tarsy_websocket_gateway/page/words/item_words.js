// What items of the story are called, and how much they matter.

import { TEXT } from "./language.js";
import { say } from "./say.js";

/** @typedef {import("../state/item_types.js").Item} Item
 *  @typedef {import("../state/repetition.js").Standing} Standing */

/** @type {Record<string, string>} */
const NAMES = TEXT.items.names;
const CONCLUSIONS = new Set([
  "approval",
  "user_question",
  "request",
  "alert_repeated",
  "alert_resolved",
  "missing_tools",
  "missing_labels",
  "review",
]);
const STEPS = new Set([
  "llm_response",
  "llm_tool_call",
  "error",
  "provider_fallback",
  "llm_limit",
  "budget",
  "runbook",
  "skill_loaded",
  "google_search_result",
  "url_context_result",
  "code_execution",
  "native_tool",
]);

/** @param {Item} item
 *  @param {Standing} standing */
export function labelOf(item, { isConclusion }) {
  if (item.type === "approval" && item.status === "streaming") return TEXT.items.openApproval;
  if (isNoWorry(item)) return item.status === "cancelled" ? TEXT.items.stopped : TEXT.items.noAnswer;
  if (item.type === "llm_response" && isConclusion) return TEXT.items.names.final_analysis;
  return Object.hasOwn(NAMES, item.type) ? String(NAMES[item.type]) : item.type;
}

/** The question is asked again, or nobody waits for its answer any longer.
 *  @param {Item} item */
export function isNoWorry({ type, status, metadata }) {
  return type === "error" && (metadata.retry === true || status === "cancelled");
}

/** The agent could not look with all its tools.
 *  @param {Item} item */
function leavesToolsOut({ type, metadata }) {
  return type === "llm_limit" && (metadata.tools_left_out ?? []).length > 0;
}

/** Which choice of the story shows it: conclusions, steps (and those), or everything.
 *  @param {Item} item
 *  @param {Standing} standing
 *  @returns {"conclusion" | "step" | "detail"} */
export function levelOf(item, { isConclusion }) {
  if (isConclusion || CONCLUSIONS.has(item.type)) return "conclusion";
  if (isNoWorry(item)) return "detail";
  if (leavesToolsOut(item)) return "conclusion";
  if (item.type === "error" || item.metadata.repeatable === false) return "conclusion";
  return STEPS.has(item.type) ? "step" : "detail";
}

/** The model of a summary, and what the agent did not have to read; or that it is an earlier one.
 *  @param {import("../state/item_types.js").Metadata} metadata */
export function summaryNote({ model, tokens_before: before, tokens_after: after, reused_from: earlier }) {
  if (typeof earlier === "string") return TEXT.story.reused;
  if (typeof before !== "number" || typeof after !== "number") return "";
  return say(TEXT.story.saved, { model: String(model), before: say(TEXT.counts.tokens, { count: before }), after });
}
