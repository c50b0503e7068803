// How each agent's context fills up, question by question. No DOM, no network.

/** @typedef {import("./waterfall.js").Trace} Trace */
/** `parts`: of each answered question, in percent of what its provider reads at most, or of the longest one where nobody
 *  knows that. `last`: tokens of the latest. `limit`: null where nobody knows.
 *  @typedef {{ id: string, name: string, parts: number[], last: number, limit: number | null }} ContextUse */

const MOST_QUESTIONS = 60;
const OWN = new Set(["iteration", "forced_conclusion", "synthesis", "chat_response"]);

/** Agents whose model said how much it read, in the order of the trace; the latest questions of each.
 *  @param {Trace} trace @returns {ContextUse[]} */
export function contextUses(trace) {
  return trace.stages.flatMap(({ executions }) => executions.flatMap(useOf));
}

/** @param {Trace["stages"][number]["executions"][number]} execution @returns {ContextUse[]} */
function useOf({ execution_id: id, agent_name: name, context_tokens: limit = null, llm_interactions: calls }) {
  const read = calls
    .filter((call) => OWN.has(call.interaction_type))
    .flatMap(({ input_tokens: tokens }) => (tokens === null || tokens === 0 ? [] : [tokens]))
    .slice(-MOST_QUESTIONS);
  const last = read.at(-1);
  if (last === undefined) return [];
  const whole = limit ?? Math.max(...read);
  return [{ id, name, parts: read.map((tokens) => Math.min(100, (100 * tokens) / whole)), last, limit }];
}
