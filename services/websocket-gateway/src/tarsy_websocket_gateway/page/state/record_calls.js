// The questions to models that a record lists: which came before which, and which one made a step of the story.

/** @typedef {import("tarsy-api").components["schemas"]} Schemas
 *  @typedef {Schemas["ListedLlmInteraction"]} Call */

const SUMMARIZATION = "summarization";

/** The agent's question before this one; null for its first. A summary of a result is a question of its own, and only
 *  its attempts follow one another.
 *  @param {readonly Call[]} calls  of one agent, in their order
 *  @param {Call} call
 *  @returns {Call | null} */
export function callBefore(calls, call) {
  const place = calls.findIndex(({ id }) => id === call.id);
  return calls.slice(0, Math.max(0, place)).findLast((other) => isKin(other, call)) ?? null;
}

/** The id of the question that a step of the story came of; empty when none is known.
 *  @param {Schemas["SessionTrace"]} trace
 *  @param {string} eventId */
export function callOfStep(trace, eventId) {
  for (const { executions } of trace.stages) {
    for (const { llm_interactions: calls } of executions) {
      // The last attempt is the one that was answered.
      const found = calls.findLast(({ timeline_event_ids: ids }) => ids.includes(eventId));
      if (found !== undefined) return found.id;
    }
  }
  return "";
}

/** @param {Call} one
 *  @param {Call} other */
function isKin(one, other) {
  const isSummary = one.interaction_type === SUMMARIZATION;
  if (isSummary !== (other.interaction_type === SUMMARIZATION)) return false;
  return !isSummary || one.timeline_event_ids[0] === other.timeline_event_ids[0];
}
