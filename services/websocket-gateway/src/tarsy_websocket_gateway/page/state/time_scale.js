// Where a time stands on the width of a waterfall. Spans in which nothing ran are shortened: a question may come days
// after the end.

/** @typedef {{ from: number, until: number }} Span  in milliseconds
 *  @typedef {{ from: number, until: number, left: number, right: number }} Piece
 *  @typedef {Piece[]} Scale */

export const WIDTH = 1000;
const IDLE_PART = 0.02;

/** From the first to the last of the spans.
 *  @param {Span[]} spans
 *  @returns {Scale} */
export function timeScale(spans) {
  const busy = joined(spans);
  const whole = busy.reduce((sum, { from, until }) => sum + until - from, 0);
  const longestGap = Math.max(1, whole * IDLE_PART);
  const pieces = [];
  let [end, width] = [busy[0]?.from ?? 0, 0];
  for (const { from, until } of busy) {
    for (const [next, most] of [
      [from, longestGap],
      [until, Number.POSITIVE_INFINITY],
    ]) {
      if (next === undefined || most === undefined || next <= end) continue;
      const left = width;
      width += Math.min(next - end, most);
      pieces.push({ from: end, until: next, left, right: width });
      end = next;
    }
  }
  const factor = width === 0 ? 0 : WIDTH / width;
  return pieces.map((piece) => ({ ...piece, left: piece.left * factor, right: piece.right * factor }));
}

/** @param {Scale} scale
 *  @param {number} time */
export function placeAt(scale, time) {
  const piece = find(scale, ({ until }) => time <= until);
  if (piece === undefined) return 0;
  const { from, until, left, right } = piece;
  return left + (clamped(time, from, until) - from) * ((right - left) / (until - from));
}

/** @param {Scale} scale
 *  @param {number} place */
export function timeAtPlace(scale, place) {
  const piece = find(scale, ({ right }) => place <= right);
  if (piece === undefined) return 0;
  const { from, until, left, right } = piece;
  return from + (clamped(place, left, right) - left) * ((until - from) / (right - left));
}

/** Those that touch become one.
 *  @param {Span[]} spans
 *  @returns {Span[]} */
function joined(spans) {
  /** @type {Span[]} */
  const found = [];
  for (const { from, until } of [...spans].sort((one, other) => one.from - other.from)) {
    const last = found.at(-1);
    if (last !== undefined && from <= last.until) last.until = Math.max(last.until, until);
    else found.push({ from, until });
  }
  return found;
}

/** The first for which it holds, or else the last.
 *  @param {Scale} scale
 *  @param {(piece: Piece) => boolean} holds */
function find(scale, holds) {
  let [low, high] = [0, scale.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    const piece = scale[middle];
    if (piece !== undefined && holds(piece)) high = middle;
    else low = middle + 1;
  }
  return scale[low];
}

/** @param {number} value
 *  @param {number} least
 *  @param {number} most */
function clamped(value, least, most) {
  return Math.max(least, Math.min(most, value));
}
