// The call whose result is shown, as the story has it: its tool, and the summary of its result.

/** @typedef {import("./session_state.js").Session} Session
 *  @typedef {import("./item_types.js").Item} Item */

const CALL_TYPES = new Set(["llm_tool_call", "runbook"]);

/** Null where the story does not have it, or not yet. An address may have the beginning of an id.
 *  @param {Session} session
 *  @param {string} callId
 *  @returns {Item | null} */
export function callOf(session, callId) {
  return find(session, (item) => CALL_TYPES.has(item.type) && isOf(item, callId));
}

/** Empty where there is none.
 *  @param {Session} session
 *  @param {string} callId */
export function summaryOf(session, callId) {
  const found = find(session, (item) => item.type === "mcp_tool_summary" && isOf(item, callId));
  return found?.status === "completed" ? found.content : "";
}

/** @param {Session} session
 *  @param {(item: Item) => boolean} fits */
function find(session, fits) {
  for (const item of session.items.values()) if (fits(item)) return item;
  return null;
}

/** @param {Item} item
 *  @param {string} callId */
function isOf({ metadata: { call_id: id } }, callId) {
  return typeof id === "string" && id.startsWith(callId);
}
