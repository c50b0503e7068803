// Lines of a long result that are known, by number: they come in ranges, and those far from what is read are forgotten.

/** `byte` of a line's first part is 0. `text` may be a beginning of it: then `isCut`.
 *  @typedef {{ number: number, text: string, isCut: boolean }} KnownLine
 *  @typedef {Map<number, KnownLine>} KnownLines
 *  @typedef {{ first: number, end: number }} Range  `end` is no part of it
 *  @typedef {import("tarsy-api").components["schemas"]["ResultLine"]} ResultLine */

/** More of a line is shown on request only: a browser takes long to lay out a line of megabytes. */
export const SHOWN_CHARACTERS = 1000;
export const MOST_KEPT = 4000;

/** @param {KnownLines} known
 *  @param {readonly ResultLine[]} lines */
export function addLines(known, lines) {
  for (const { number, byte, text, goes_on: goesOn } of lines) {
    if (byte > 0) continue;
    const shown = text.slice(0, SHOWN_CHARACTERS);
    known.set(number, { number, text: shown, isCut: goesOn || shown.length < text.length });
  }
}

/** The first line of a range that is not known; null when all are.
 *  @param {KnownLines} known
 *  @param {Range} range */
export function firstMissing(known, { first, end }) {
  for (let number = first; number < end; number += 1) if (!known.has(number)) return number;
  return null;
}

/** Forgets those that are farthest from a range, when there are too many.
 *  @param {KnownLines} known
 *  @param {Range} range
 *  @param {number} [most] */
export function keepNear(known, { first, end }, most = MOST_KEPT) {
  if (known.size <= most) return;
  const middle = (first + end) / 2;
  const farthest = [...known.keys()].sort((one, other) => Math.abs(other - middle) - Math.abs(one - middle));
  for (const number of farthest.slice(0, known.size - most)) known.delete(number);
}
