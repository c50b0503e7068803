// Which lines of a long result are in the document, and how high what stands above and below them is. No DOM.

/** @typedef {import("./result_lines.js").Range} Range */

/** Lines around those that are seen. */
export const OVERSCAN = 30;
/** A window is moved when fewer lines than this are left on a side. */
const RESERVE = 10;
/** No browser draws elements that are much higher. */
const MOST_PIXELS = 8_000_000;

/** The height that stands for each line that is not in the document: that of a row, and less in a very long text.
 *  @param {number} total
 *  @param {number} row */
export function unitOf(total, row) {
  return total === 0 ? row : Math.min(row, MOST_PIXELS / total);
}

/** @param {number} first  the first line that is seen
 *  @param {number} count  of those that are seen
 *  @param {number} total
 *  @returns {Range} */
export function windowAround(first, count, total) {
  const begin = Math.max(0, Math.min(first, total - count) - OVERSCAN);
  return { first: begin, end: Math.min(total, Math.max(first, 0) + count + OVERSCAN) };
}

/** Whether lines that are seen soon are not in the window.
 *  @param {Range} window
 *  @param {number} first
 *  @param {number} count
 *  @param {number} total */
export function isTooFar(window, first, count, total) {
  const from = Math.max(0, first - RESERVE);
  const until = Math.min(total, first + count + RESERVE);
  return from < window.first || until > window.end;
}

/** The line that is so many pixels below another one, where it is not in the document.
 *  @param {number} line
 *  @param {number} distance
 *  @param {number} total
 *  @param {number} row */
export function lineBelow(line, distance, total, row) {
  return Math.max(0, Math.min(total - 1, line + Math.floor(distance / unitOf(total, row))));
}
