// What the bars of a waterfall are called.

import { SUMMARY } from "../state/waterfall.js";
import { factLine, number } from "./formats.js";
import { TEXT } from "./language.js";
import { say } from "./say.js";
import { duration } from "./wording.js";

/** @typedef {import("../state/waterfall.js").Bar} Bar
 *  @typedef {import("../state/waterfall.js").Row} Row */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Those that belong to no agent, by id. @type {Record<string, string>} */
const ROWS = TEXT.waterfall.rows;

/** @param {import("../state/waterfall.js").Kind | "failure"} kind */
export function kindWords(kind) {
  return TEXT.waterfall.kinds[kind];
}

/** Sub-agents stand below the one that names the stage.
 *  @param {Row} row */
export function rowName({ id, stage, name, depth }) {
  if (Object.hasOwn(ROWS, id)) return String(ROWS[id]);
  return stage === "" || depth > 0 ? name : say(TEXT.waterfall.rowOfStage, { stage, name });
}

/** @param {Row} row
 *  @param {Bar} bar
 *  @param {number} now */
export function barWords(row, { kind, from, until, name, hasFailed }, now) {
  const took = duration(Math.max(0, (until ?? now) - from));
  return factLine([
    rowName(row),
    kindWords(kind),
    name === SUMMARY ? TEXT.waterfall.summary : name,
    until === null ? say(TEXT.waterfall.soFar, { duration: took }) : took,
    hasFailed ? kindWords("failure") : "",
  ]);
}

/** How long after the beginning.
 *  @param {number} elapsed in milliseconds */
export function tickWords(elapsed) {
  if (elapsed === 0) return TEXT.waterfall.begin;
  if (elapsed % HOUR === 0) return say(TEXT.waterfall.tickHours, { hours: number(elapsed / HOUR) });
  if (elapsed % MINUTE === 0 && elapsed < HOUR) {
    return say(TEXT.waterfall.tickMinutes, { minutes: number(elapsed / MINUTE) });
  }
  return say(TEXT.waterfall.tick, { duration: duration(elapsed) });
}
