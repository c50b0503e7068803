// What is shown of a session becomes another state of it, in place: only what differs is drawn again.

/** @typedef {import("./session_state.js").Session} Session
 *  @typedef {import("./session_state.js").Changes} Changes
 *  @typedef {import("./item_types.js").Item} Item
 *  @typedef {import("./last_words.js").LastWords} LastWords */

/** A copy that is folded on by itself.
 *  @param {Session} session
 *  @returns {Session} */
export function copyOf(session) {
  const items = new Map([...session.items].map(([id, item]) => [id, { ...item }]));
  return {
    ...session,
    stages: new Map(session.stages),
    executions: new Map(session.executions),
    lastWords: new Map(session.lastWords),
    items,
  };
}

/** Changes `session`; returns what has changed. `other` is not to be used afterwards.
 *  @param {Session} session
 *  @param {Session} other
 *  @returns {Changes} */
export function become(session, other) {
  const related = relatedItems(session.lastWords, other.lastWords);
  const items = becomeItems(session.items, other.items);
  Object.assign(session, other, { items: session.items });
  return { session: true, items: [...new Set([...items, ...related])] };
}

/** @param {Map<string, Item>} items
 *  @param {Map<string, Item>} others */
function becomeItems(items, others) {
  const changed = [];
  for (const id of items.keys()) {
    if (others.has(id)) continue;
    items.delete(id);
    changed.push(id);
  }
  for (const [id, item] of others) {
    const before = items.get(id);
    if (before !== undefined && isSame(before, item)) continue;
    items.set(id, item);
    changed.push(id);
  }
  return changed;
}

/** @param {Item} one
 *  @param {Item} other */
function isSame(one, other) {
  const isAsFar = one.number === other.number && one.status === other.status && one.sequence === other.sequence;
  return isAsFar && one.content === other.content && one.executionId === other.executionId && !one.isToldAgain;
}

/** The last words that are others now: an item may have been made of one, and not any longer.
 *  @param {LastWords} words
 *  @param {LastWords} others */
function relatedItems(words, others) {
  const ids = new Set();
  for (const agent of [...words.keys(), ...others.keys()]) {
    const [one, other] = [words.get(agent), others.get(agent)];
    const isOther = one?.response?.id !== other?.response?.id || one?.conclusion?.id !== other?.conclusion?.id;
    if (!isOther) continue;
    for (const item of [one?.response, one?.conclusion, other?.response, other?.conclusion]) if (item) ids.add(item.id);
  }
  return ids;
}
