// The last word of each agent: its last whole response, and the conclusion that was made of it.

/** @typedef {import("./item_types.js").Item} Item
 *  @typedef {{ response: Item | null, conclusion: Item | null }} LastWord
 *  @typedef {Map<string, LastWord>} LastWords by execution */

export const CONCLUSIONS = new Set(["final_analysis", "executive_summary"]);

/** @param {LastWords} words
 *  @param {Item | undefined} item */
export function noteLastWord(words, item) {
  if (item === undefined || item.status === "streaming") return;
  const kind = kindOf(item);
  if (kind === null) return;
  const known = lastWordOf(words, item);
  const before = known[kind];
  if (before === null || before.sequence <= item.sequence)
    words.set(item.executionId ?? "", { ...known, [kind]: item });
}

/** @param {LastWords} words
 *  @param {Item} item  of the same agent
 *  @returns {LastWord} */
export function lastWordOf(words, item) {
  return words.get(item.executionId ?? "") ?? { response: null, conclusion: null };
}

/** @param {Item} item
 *  @returns {"response" | "conclusion" | null} */
function kindOf({ type }) {
  if (type === "llm_response") return "response";
  return CONCLUSIONS.has(type) ? "conclusion" : null;
}
