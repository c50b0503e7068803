// The sections of the list: what runs, what waits, and each day: no DOM, no clock, no network.

import { hasEnded } from "../words/wording.js";
import { byTime } from "./sessions_state.js";

/** @typedef {import("./list_row.js").Row} Row */
/** @typedef {import("./sessions_state.js").Sessions} Sessions */
/** `hidden` rows are folded away. `sample` is any time of a day that has ended sessions.
 *  @typedef {{ key: string, kind: "running" | "waiting" | "ended", sample: string, rows: Row[], hidden: number, isUnfolded: boolean }} Section */

const FOLDED_ABOVE = 5;

/** @param {Row} row @returns {Section["kind"]} */
export function kindOf(row) {
  if (hasEnded(row.status)) return "ended";
  return row.status === "pending" ? "waiting" : "running";
}

/** What runs, what waits in the order of the queue, and what has ended by the day on which it came.
 *  @param {Sessions} sessions @param {boolean} isUnfolded whether all that wait are shown @returns {Section[]} */
export function sectionsOf({ rows }, isUnfolded) {
  const waiting = rows.filter((row) => kindOf(row) === "waiting").sort(byTurn);
  const shown = isUnfolded ? waiting : waiting.slice(0, FOLDED_ABOVE);
  /** @type {Section[]} */
  const sections = [
    section(
      "running",
      "running",
      rows.filter((row) => kindOf(row) === "running"),
    ),
    {
      ...section("waiting", "waiting", shown),
      hidden: waiting.length - shown.length,
      isUnfolded: isUnfolded && waiting.length > FOLDED_ABOVE,
    },
  ];
  for (const row of rows) {
    if (kindOf(row) !== "ended") continue;
    const last = sections.at(-1);
    if (last?.key === row.day) last.rows.push(row);
    else sections.push(section(row.day, "ended", [row]));
  }
  return sections.filter((one) => one.rows.length > 0);
}

/** @param {string} key @param {Section["kind"]} kind @param {Row[]} rows @returns {Section} */
function section(key, kind, rows) {
  return { key, kind, sample: rows[0]?.createdAt ?? "", rows, hidden: 0, isUnfolded: false };
}

/** @param {Row} one @param {Row} other */
function byTurn(one, other) {
  const turns = (one.queuePosition ?? Infinity) - (other.queuePosition ?? Infinity);
  return turns || byTime(other, one);
}
