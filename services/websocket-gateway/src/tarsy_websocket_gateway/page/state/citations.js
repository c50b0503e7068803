// Citations: the numbers by which texts name the calls that their claims come from, such as [call 7].
//
// The log decides a call's number. A text of others may have a mark of that form, too: it names a call of this session,
// or none.

/** @typedef {import("./session_state.js").Session} Session
 *  @typedef {import("./item_types.js").Item} Item
 *  @typedef {Map<number, string>} Calls the ids of their items, by number */

const CITATION = /\[call \d{1,9}(?:, call \d{1,9})*\]/y;
const EVERY_CITATION = new RegExp(CITATION.source, "g");

/** The citation that begins there; empty where none does.
 *  @param {string} text
 *  @param {number} at */
export function citationAt(text, at) {
  CITATION.lastIndex = at;
  return CITATION.exec(text)?.[0] ?? "";
}

/** @param {string} citation */
export function numbersIn(citation) {
  return [...citation.matchAll(/\d+/g)].map(([digits]) => Number(digits));
}

/** The first call of a number keeps it.
 *  @param {Calls} calls
 *  @param {Item | undefined} item */
export function noteCall(calls, item) {
  const number = item?.type === "llm_tool_call" ? item.metadata.number : undefined;
  if (item !== undefined && number !== undefined && !calls.has(number)) calls.set(number, item.id);
}

/** @param {Session} session
 *  @param {number} number */
export function citedCall(session, number) {
  return session.items.get(session.calls.get(number) ?? "") ?? null;
}

/** The calls that a text cites, each once, in order of their numbers.
 *  @param {Session} session
 *  @param {string} text */
export function callsCitedIn(session, text) {
  const numbers = new Set([...text.matchAll(EVERY_CITATION)].flatMap(([citation]) => numbersIn(citation)));
  const found = [...numbers].sort((one, other) => one - other).map((number) => citedCall(session, number));
  return found.filter((item) => item !== null);
}
