// How the state of a session is said.

import { counted, ordinal } from "./wording.js";

/** @typedef {import("../state/item_types.js").Item} Item
 *  @typedef {import("../state/session_state.js").Session} Session */

/** @param {number} place */
export function queueWords(place) {
  return `It waits for its turn: ${ordinal(place)} in queue.`;
}

/** What the agent does now, by the last of its items that is open.
 *  @param {Item | null} item */
export function doing(item) {
  if (item === null) return "asks the model";
  const tool = `${item.metadata.server_name}.${item.metadata.tool_name}`;
  switch (item.type) {
    case "llm_thinking":
      return "thinks";
    case "llm_response":
      return "writes";
    case "llm_tool_call":
      return `runs ${tool}`;
    case "approval":
      return `waits for a yes to ${tool}`;
    case "mcp_tool_summary":
      return "summarises a long result";
    case "llm_wait":
      return "waits for its model";
    case "runbook":
      return "fetches the runbook";
    default:
      return "works";
  }
}

/** @param {Session} session  that was cancelled */
export function cancelledWords({ error }) {
  const sentence = error === "" ? "cancelled" : error;
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}${sentence.endsWith(".") ? "" : "."}`;
}

/** Where it stopped: the stage and the agents that did not complete.
 *  @param {string[]} stages
 *  @param {string[]} agents */
export function stoppedWords(stages, agents) {
  if (stages.length === 0) return "It stopped before its first stage.";
  const who = agents.length === 0 ? "" : ` (${agents.join(", ")})`;
  return `It stopped in ${stages.join(", ")}${who}.`;
}

/** @param {number} count */
export function toComeWords(count) {
  return `${counted(count, "stage")} to come`;
}

/** @param {{ input_tokens: number, output_tokens: number, cached_input_tokens: number }} counts */
export function tokenWords({ input_tokens: input, output_tokens: output, cached_input_tokens: cached }) {
  const read = cached > 0 ? `${number(input)} read (${number(cached)} from cache)` : `${number(input)} read`;
  return `${read}, ${number(output)} written`;
}

/** @param {number} count */
function number(count) {
  return count.toLocaleString("en");
}
