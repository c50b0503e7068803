// How the state of a session is said.

import { TEXT } from "./language.js";
import { say, sayOrdinal } from "./say.js";
import { costWords } from "./usage_words.js";
import { statusWord } from "./wording.js";

/** @typedef {import("../state/item_types.js").Item} Item
 *  @typedef {import("../stores/session_store.js").Detail} Detail
 *  @typedef {import("../state/session_state.js").Session} Session */

/** @param {number} place */
export function queueWords(place) {
  return say(TEXT.session.queued, { place: sayOrdinal(TEXT.list.place, { count: place }) });
}

/** @param {{ cluster?: string | null, namespace?: string | null, workload?: string | null }} alert */
export function placeWords({ cluster, namespace, workload }) {
  return [cluster, namespace, workload].filter(Boolean).join(" / ");
}

const WAITS = { model: TEXT.now.asks, budget: TEXT.now.waitsForBudget, agents: TEXT.now.waitsForSubAgents };

/** What the agent does now, by the last of its items that is open, or what it waits for.
 *  @param {Item | null} item
 *  @param {import("../state/outcome.js").WaitsFor} waitsFor */
export function doing(item, waitsFor) {
  if (item === null) return WAITS[waitsFor];
  const tool = `${item.metadata.server_name}.${item.metadata.tool_name}`;
  switch (item.type) {
    case "llm_thinking":
      return TEXT.now.thinks;
    case "llm_response":
      return TEXT.now.writes;
    case "llm_tool_call":
      return say(TEXT.now.runs, { tool });
    case "approval":
      return say(TEXT.now.waitsForYes, { tool });
    case "mcp_tool_summary":
      return TEXT.now.summarises;
    case "llm_wait":
      return TEXT.now.waitsForModel;
    case "runbook":
      return TEXT.now.fetchesRunbook;
    default:
      return TEXT.now.works;
  }
}

/** @param {Session} session  that was cancelled */
export function cancelledWords({ error }) {
  const sentence = error === "" ? TEXT.verdict.cancelled : error;
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}${sentence.endsWith(".") ? "" : "."}`;
}

/** Where it stopped: the stage and the agents that did not complete.
 *  @param {string} status  "failed" or "timed_out"
 *  @param {string[]} stages
 *  @param {string[]} agents */
export function stoppedWords(status, stages, agents) {
  const said = { status: statusWord(status), stages: stages.join(", ") };
  if (stages.length === 0) return say(TEXT.verdict.stoppedBeforeAll, said);
  if (agents.length === 0) return say(TEXT.verdict.stopped, said);
  return say(TEXT.verdict.stoppedWithAgents, { ...said, agents: agents.join(", ") });
}

/** @param {{ input_tokens: number, output_tokens: number, cached_input_tokens: number }} counts */
export function tokenWords({ input_tokens: input, output_tokens: output, cached_input_tokens: cached }) {
  if (cached > 0) return say(TEXT.facts.tokensWithCache, { input, cached, output });
  return say(TEXT.facts.tokens, { input, output });
}

/** What its models cost, and what of it is not known. Nothing while no model was used.
 *  @param {Detail} detail */
export function sessionCost({
  cost = null,
  cost_completeness: completeness,
  unpriced_interaction_count: count = 0,
  total_tokens: all,
}) {
  if (cost === null) return all > 0 ? TEXT.facts.costUnknown : "";
  const words = costWords({ cost, cost_completeness: completeness ?? "complete" });
  return count > 0 ? say(TEXT.facts.costOfOthers, { cost: words, count }) : words;
}
