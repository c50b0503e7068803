// The newest answers of the API and what the list has already: no DOM, no clock, no network.

import { kindOf } from "./list_sections.js";
import { forget, missing, takeMore } from "./sessions_state.js";

/** @typedef {import("./list_row.js").Listed} Listed */
/** `isWhole`: there are no others. `count`: of all that fit.
 *  @typedef {{ rows: Listed[], isWhole: boolean, count: number }} Answer */
/** @typedef {{ running: Answer, waiting: Answer, ended: Answer }} Top */

/** Takes what runs, what waits and the latest that ended. Returns whether the older ones that are in the list follow
 *  upon them without a gap (else they are forgotten), and which have neither ended in sight nor run or wait any more.
 *  @param {import("./sessions_state.js").Sessions} sessions @param {number} read @param {Top} top */
export function mergeTop(sessions, read, top) {
  const { running, waiting, ended } = top;
  const answered = new Set([running, waiting, ended].flatMap(({ rows }) => rows.map((row) => row.id)));
  const last = ended.rows.at(-1)?.created_at ?? "";
  const isJoined = ended.isWhole || ended.rows.some(({ id }) => isEnded(sessions.byId.get(id)));
  takeMore(sessions, [...ended.rows, ...waiting.rows, ...running.rows]);
  const gone = missing(sessions, read, answered, (row) => {
    return isEnded(row) && (ended.isWhole || !isJoined || row.createdAt > last);
  });
  forget(sessions, gone);
  const lost = missing(sessions, read, answered, (row) => {
    const kind = kindOf(row);
    return kind !== "ended" && top[kind].isWhole;
  });
  return { isJoined, lost };
}

/** @param {import("./list_row.js").Row | undefined} row */
function isEnded(row) {
  return row !== undefined && kindOf(row) === "ended";
}
