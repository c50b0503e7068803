// Citations: the numbers by which texts name what their claims come from, such as [call 7] and [source 2].
//
// The log decides the numbers. A text of others may have a mark of that form, too: it names a call or a web page of this
// session, or nothing.

/** @typedef {import("./session_state.js").Session} Session
 *  @typedef {import("./item_types.js").Item} Item
 *  @typedef {Map<number, string>} Calls the ids of their items, by number
 *  @typedef {{ url: string, title: string, number: number }} Source
 *  @typedef {{ kind: "call" | "source", number: number }} Cited */

const CITATION = /\[(?:call|source) \d{1,9}(?:, (?:call|source) \d{1,9})*\]/y;
const EVERY_CITATION = new RegExp(CITATION.source, "g");

/** The citation that begins there; empty where none does.
 *  @param {string} text
 *  @param {number} at */
export function citationAt(text, at) {
  CITATION.lastIndex = at;
  return CITATION.exec(text)?.[0] ?? "";
}

/** What a citation names, in its order.
 *  @param {string} citation
 *  @returns {Cited[]} */
export function namedIn(citation) {
  return [...citation.matchAll(/(call|source) (\d+)/g)].map(([, kind, digits]) => ({
    kind: kind === "source" ? "source" : "call",
    number: Number(digits),
  }));
}

/** The text without what only this page can follow.
 *  @param {string} text */
export function withoutCitations(text) {
  return text.replaceAll(new RegExp(` ?${CITATION.source}`, "g"), "");
}

/** Sources are web pages that a model found with a tool of its provider. The first of a number keeps it.
 *  @param {Map<number, Source>} sources
 *  @param {Item | undefined} item */
export function noteSources(sources, item) {
  const found = item?.metadata.sources;
  if (!Array.isArray(found)) return;
  for (const source of found) if (source.number > 0 && !sources.has(source.number)) sources.set(source.number, source);
}

/** The sources that a text cites, each once, in order of their numbers.
 *  @param {Session} session
 *  @param {string} text */
export function sourcesCitedIn(session, text) {
  return numbersOf(text, "source")
    .map((number) => session.sources.get(number))
    .filter((source) => source !== undefined);
}

/** @param {string} text
 *  @param {Cited["kind"]} kind */
function numbersOf(text, kind) {
  const named = [...text.matchAll(EVERY_CITATION)].flatMap(([citation]) => namedIn(citation));
  return [...new Set(named.filter((one) => one.kind === kind).map(({ number }) => number))].sort((a, b) => a - b);
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
  return numbersOf(text, "call")
    .map((number) => citedCall(session, number))
    .filter((item) => item !== null);
}
