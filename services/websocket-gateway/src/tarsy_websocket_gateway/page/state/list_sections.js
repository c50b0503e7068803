// The sections of the list: what runs, what waits, and each day: no DOM, no clock, no network.

import { hasEnded } from "../words/wording.js";
import { ordered } from "./list_order.js";
import { foldSameFailures } from "./same_failures.js";
import { byTime } from "./sessions_state.js";

/** @typedef {import("./list_row.js").Row} Row */
/** @typedef {import("./sessions_state.js").Sessions} Sessions */
/** `hidden` rows are folded away, and can be unfolded. `sample` is any time of a day that has ended sessions; empty where
 *  those of all days stand together. `count`: of all its sessions. `same`: what stands for several, by its id.
 *  @typedef {{ key: string, kind: "running" | "waiting" | "ended", sample: string, rows: Row[], hidden: number,
 *    isUnfolded: boolean, count: number, same: Map<string, import("./same_failures.js").Same> }} Section */
/** `unfolded`: reasons of failures whose sessions are all shown.
 *  @typedef {{ order: import("./list_order.js").Order | null, unfolded: ReadonlySet<string> }} Look */
/** @type {Look} */
const PLAIN = { order: null, unfolded: new Set() };
const ALL_DAYS = "all";

const FOLDED_ABOVE = 5;

/** @param {Row} row @returns {Section["kind"]} */
export function kindOf(row) {
  if (hasEnded(row.status)) return "ended";
  return row.status === "pending" ? "waiting" : "running";
}

/** What runs, what waits in the order of the queue, and what has ended by the day on which it came, or by a column.
 *  @param {Sessions} sessions @param {boolean} isUnfolded whether all that wait are shown @param {Look} look
 *  @returns {Section[]} */
export function sectionsOf({ rows }, isUnfolded, { order, unfolded } = PLAIN) {
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
    const key = order === null ? row.day : ALL_DAYS;
    const last = sections.at(-1);
    if (last?.key === key) last.rows.push(row);
    else sections.push(section(key, "ended", [row]));
  }
  return sections.filter((one) => one.rows.length > 0).map((one) => arranged(one, order, unfolded));
}

/** @param {Section} section @param {Look["order"]} order @param {Look["unfolded"]} unfolded @returns {Section} */
function arranged(section, order, unfolded) {
  const count = section.rows.length + section.hidden;
  if (order !== null) return { ...section, sample: "", count, rows: ordered(section.rows, order) };
  if (section.kind !== "ended") return { ...section, count };
  return { ...section, count, ...foldSameFailures(section.rows, unfolded) };
}

/** @param {string} key @param {Section["kind"]} kind @param {Row[]} rows @returns {Section} */
function section(key, kind, rows) {
  return {
    key,
    kind,
    sample: rows[0]?.createdAt ?? "",
    rows,
    hidden: 0,
    isUnfolded: false,
    count: rows.length,
    same: new Map(),
  };
}

/** @param {Row} one @param {Row} other */
function byTurn(one, other) {
  const turns = (one.queuePosition ?? Infinity) - (other.queuePosition ?? Infinity);
  return turns || byTime(other, one);
}
