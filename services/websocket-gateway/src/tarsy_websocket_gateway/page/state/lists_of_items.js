// Which list an item stands in: an agent's, that of a question, of what people wanted after one, or the session's own.

import { turnOf } from "./chat_state.js";

/** @typedef {import("./session_state.js").Session} Session
 *  @typedef {import("./item_types.js").Item} Item */

export const OF_THE_SESSION = "session";

/** @param {string} executionId */
export function ofAgent(executionId) {
  return `agent ${executionId}`;
}

/** @param {string} turn */
export function ofQuestion(turn) {
  return `question ${turn}`;
}

/** @param {string} turn */
export function ofRequests(turn) {
  return `requests ${turn}`;
}

/** The name of the list. An item that comes before its agent is known stands in the session's own until it is.
 *  @param {Session} session
 *  @param {Item} item */
export function listOf(session, item) {
  if (item.executionId !== null && hasPlace(session, item.executionId)) return ofAgent(item.executionId);
  const turn = turnOf(session, item);
  if (turn === null) return OF_THE_SESSION;
  return item.type === "user_question" ? ofQuestion(turn) : ofRequests(turn);
}

/** @param {Session} session
 *  @param {string} executionId */
function hasPlace(session, executionId) {
  const agent = session.executions.get(executionId);
  return agent !== undefined && session.stages.has(agent.stage_id);
}
