// Shapes of charts, in percent of their width and height; no DOM, no network.

export const WHOLE = 100;
const GAP = 0.2;
const LEVELS = 4;
const MOST_MARKS = 5;
const SECONDS = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600];

/** `part`: the place in its stack.
 *  @typedef {{ column: number, part: number, x: number, width: number, y: number, height: number }} Block
 *  @typedef {{ x: number, label: string, align: "start" | "middle" | "end" }} AxisMark
 *  @typedef {{ count: number, level: number }} Cell */

/** The end of an axis: 1, 2 or 5 times a power of ten. @param {number} most */
export function roundUp(most) {
  if (!(most > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(most));
  const times = [1, 2, 5, 10].find((one) => one * power >= most * (1 - 1e-9)) ?? 10;
  return times * power;
}

/** The end of an axis of time: a length that people name. @param {number} most */
export function roundUpSeconds(most) {
  const hours = most / 3600;
  return SECONDS.find((one) => one >= most) ?? 3600 * roundUp(hours);
}

/** Stacked from the ground. Nothing has no block.
 *  @param {readonly (readonly number[])[]} columns
 *  @param {number} top  the end of the axis
 *  @returns {Block[]} */
export function stackColumns(columns, top) {
  const step = WHOLE / Math.max(1, columns.length);
  return columns.flatMap((parts, column) => {
    let ground = WHOLE;
    return parts.flatMap((value, part) => {
      const height = Math.min(ground, (WHOLE * Math.max(0, value)) / top);
      ground -= height;
      const block = { column, part, x: step * (column + GAP / 2), width: step * (1 - GAP), y: ground, height };
      return height > 0 ? [block] : [];
    });
  });
}

/** A path through the middles of columns, with a gap where there is no value; a value alone is a dash of its column.
 *  @param {readonly (number | null)[]} values @param {number} top */
export function linePath(values, top) {
  const step = WHOLE / Math.max(1, values.length);
  const parts = values.map((value, column) => {
    if (value === null) return "";
    const y = round(WHOLE - (WHOLE * Math.min(value, top)) / top);
    const isAlone = (values[column - 1] ?? null) === null && (values[column + 1] ?? null) === null;
    if (isAlone) return `M${round(step * column)} ${y}H${round(step * (column + 1))}`;
    return `${(values[column - 1] ?? null) === null ? "M" : "L"}${round(step * (column + 0.5))} ${y}`;
  });
  return parts.join("");
}

/** Some of the columns' names, below them.
 *  @param {readonly string[]} labels @returns {AxisMark[]} */
export function axisMarks(labels) {
  const count = Math.min(MOST_MARKS, labels.length);
  return Array.from({ length: count }, (_, number) => {
    const column = count === 1 ? 0 : Math.round((number * (labels.length - 1)) / (count - 1));
    const align = count === 1 || (number > 0 && number < count - 1) ? "middle" : number === 0 ? "start" : "end";
    const middle = (WHOLE * (column + 0.5)) / labels.length;
    return { x: align === "middle" ? middle : align === "start" ? 0 : WHOLE, label: labels[column] ?? "", align };
  });
}

/** Seven days of 24 hours. `level`: from 0 to 4, by the largest.
 *  @param {readonly { weekday: number, hour: number, sessions: number }[]} hours @returns {Cell[][]} */
export function weekCells(hours) {
  const most = Math.max(1, ...hours.map(({ sessions }) => sessions));
  const counts = new Map(hours.map(({ weekday, hour, sessions }) => [24 * (weekday - 1) + hour, sessions]));
  return Array.from({ length: 7 }, (_, day) =>
    Array.from({ length: 24 }, (_, hour) => {
      const count = counts.get(24 * day + hour) ?? 0;
      return { count, level: Math.ceil((LEVELS * count) / most) };
    }),
  );
}

/** @param {number} value */
function round(value) {
  return Math.round(value * 100) / 100;
}
