// Bars of a waterfall as SVG paths, one for each kind: 2,000 bars are a few elements. Kinds differ in colour and in shape.

import { placeAt } from "./time_scale.js";

/** @typedef {import("./waterfall.js").Kind} Kind
 *  @typedef {import("./waterfall.js").Row} Row
 *  @typedef {import("./time_scale.js").Scale} Scale */

export const ROW_HEIGHT = 24;
const LEAST_WIDTH = 1.2;
const FAILURE_WIDTH = 2;

/** Each kind as stripes of its row: top and height.
 *  @type {Record<Kind | "failure", [number, number][]>} */
const STRIPES = {
  queue: [
    [5, 2],
    [17, 2],
  ],
  llm: [[4, 16]],
  tool: [[7, 10]],
  change: [[2, 20]],
  person: [
    [4, 3],
    [10, 4],
    [17, 3],
  ],
  turn: [[11, 2]],
  pause: [
    [8, 2],
    [14, 2],
  ],
  failure: [[1, 22]],
};

export const KINDS = /** @type {Kind[]} */ (["queue", "llm", "tool", "change", "person", "turn", "pause"]);

/** The path of each kind that there is, and of the ends of what failed.
 *  @param {Row[]} rows
 *  @param {Scale} scale
 *  @param {number} now  the end of what runs
 *  @returns {Map<Kind | "failure", string>} */
export function barPaths(rows, scale, now) {
  /** @type {Map<Kind | "failure", string[]>} */
  const parts = new Map();
  /** @param {Kind | "failure"} kind @param {number} left @param {number} width @param {number} top */
  function add(kind, left, width, top) {
    const known = parts.get(kind);
    const path = shapeOf(kind, left, width, top);
    if (known === undefined) parts.set(kind, [path]);
    else known.push(path);
  }
  for (const [place, { bars }] of rows.entries()) {
    const top = place * ROW_HEIGHT;
    for (const { kind, from, until, hasFailed } of bars) {
      const left = placeAt(scale, from);
      const width = Math.max(LEAST_WIDTH, placeAt(scale, until ?? now) - left);
      add(kind, left, width, top);
      if (hasFailed) add("failure", left + width - FAILURE_WIDTH, FAILURE_WIDTH, top);
    }
  }
  return new Map([...parts].map(([kind, all]) => [kind, all.join("")]));
}

/** @param {Kind | "failure"} kind
 *  @param {number} left
 *  @param {number} width
 *  @param {number} top */
export function shapeOf(kind, left, width, top) {
  const [x, w] = [left.toFixed(1), width.toFixed(1)];
  return STRIPES[kind].map(([y, height]) => `M${x} ${top + y}h${w}v${height}h-${w}z`).join("");
}

/** The bar of a row at a time, the last that began: what it waited for stands before what it ran.
 *  @param {Row | undefined} row
 *  @param {number} time
 *  @param {number} slack  in milliseconds
 *  @param {number} now */
export function barAt(row, time, slack, now) {
  return row?.bars.findLast(({ from, until }) => from - slack <= time && time <= (until ?? now) + slack) ?? null;
}
