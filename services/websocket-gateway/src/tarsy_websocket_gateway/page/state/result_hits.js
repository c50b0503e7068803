// Hits of a search in a long result: they come some at a time, in the order of the text, and a reader goes from one to
// the next. A very long line may have several.

/** @typedef {import("tarsy-api").components["schemas"]} Schemas
 *  @typedef {{ number: number, byte: number }} Hit */

/** `count`: lines of the whole result that match, `isComplete`: all of it was looked at. `next`: where to search on.
 *  @typedef {object} Hits
 *  @property {readonly Hit[]} hits
 *  @property {number} current  -1 where there is none
 *  @property {number} count
 *  @property {boolean} isComplete
 *  @property {Schemas["ResultPosition"] | null} next */

/** The first of them is the current one.
 *  @param {Schemas["ToolCallResult"]} answer
 *  @returns {Hits} */
export function firstHits(answer) {
  const hits = hitsOf(answer);
  return {
    hits,
    current: hits.length > 0 ? 0 : -1,
    count: answer.matches?.count ?? 0,
    isComplete: answer.matches?.complete ?? true,
    next: answer.next,
  };
}

/** The next one becomes the current one, where there is one.
 *  @param {Hits} before
 *  @param {Schemas["ToolCallResult"]} answer
 *  @returns {Hits} */
export function moreHits(before, answer) {
  const more = hitsOf(answer).filter((hit) => isBehind(hit, before.hits.at(-1)));
  const hits = [...before.hits, ...more];
  return {
    hits,
    current: Math.min(before.current + (more.length > 0 ? 1 : 0), hits.length - 1),
    count: before.isComplete ? before.count : Math.max(before.count, linesOf(hits)),
    isComplete: before.isComplete || answer.next === null,
    next: answer.next,
  };
}

/** @param {Hits} hits
 *  @param {number} steps
 *  @returns {Hits} */
export function moved(hits, steps) {
  const current = Math.max(0, Math.min(hits.hits.length - 1, hits.current + steps));
  return { ...hits, current: hits.hits.length === 0 ? -1 : current };
}

/** @param {Hits} hits
 *  @returns {Hit | null} */
export function currentHit({ hits, current }) {
  return hits[current] ?? null;
}

/** Its place among the lines that match, from 1.
 *  @param {Hits} hits */
export function rankOf({ hits, current }) {
  return linesOf(hits.slice(0, current + 1));
}

/** @param {Schemas["ToolCallResult"]} answer
 *  @returns {Hit[]} */
function hitsOf({ lines }) {
  return lines.filter(({ matches }) => matches).map(({ number, byte }) => ({ number, byte }));
}

/** @param {readonly Hit[]} hits */
function linesOf(hits) {
  return new Set(hits.map(({ number }) => number)).size;
}

/** @param {Hit} hit
 *  @param {Hit | undefined} last */
function isBehind(hit, last) {
  if (last === undefined || hit.number > last.number) return true;
  return hit.number === last.number && hit.byte > last.byte;
}
