// The list of sessions, from the REST API and live messages: no DOM, no clock, no network.

import { hasEnded } from "../words/wording.js";
import { remember } from "./latest_numbers.js";
import { fromRow } from "./list_row.js";

/** @typedef {import("./list_row.js").Row} Row */
/** @typedef {import("./list_row.js").Listed} Listed */
/** @typedef {import("tarsy-live").components["schemas"]["SessionStatusChanged"]} StatusMessage */
/** `touched`: the read that had begun when its last live message came. `deleted`: the number of each one's deletion.
 *  @typedef {{ rows: Row[], byId: Map<string, Row>, touched: Map<string, number>, deleted: Map<string, number>,
 *    reads: number }} Sessions */

const LONGEST_SUMMARY = 2000;

/** @returns {Sessions} */
export function newSessions() {
  return { rows: [], byId: new Map(), touched: new Map(), deleted: new Map(), reads: 0 };
}

/** What was asked of the API last. A row that a live message changed since then is newer than its answer.
 *  @param {Sessions} sessions */
export function beginRead(sessions) {
  sessions.reads += 1;
  return sessions.reads;
}

/** These rows and no others. A status that came live, and is newer, stays.
 *  @param {Sessions} sessions @param {readonly Listed[]} rows */
export function takePage(sessions, rows) {
  const known = sessions.byId;
  sessions.byId = new Map();
  for (const row of rows) put(sessions, row, known.get(row.id));
  sort(sessions);
}

/** These rows besides those that are known.
 *  @param {Sessions} sessions @param {readonly Listed[]} rows */
export function takeMore(sessions, rows) {
  for (const row of rows) put(sessions, row, sessions.byId.get(row.id));
  sort(sessions);
}

/** Whether the session is in the list.
 *  @param {Sessions} sessions @param {StatusMessage} message */
export function takeStatus(sessions, message) {
  remember(sessions.touched, message.session_id, sessions.reads);
  const row = sessions.byId.get(message.session_id);
  if (row === undefined) return false;
  if (message.number >= row.number) {
    const changed = withStatus(row, message);
    sessions.byId.set(row.id, changed);
    sessions.rows[sessions.rows.indexOf(row)] = changed;
  }
  return true;
}

/** @param {Sessions} sessions @param {Iterable<string>} ids */
export function forget(sessions, ids) {
  for (const id of ids) sessions.byId.delete(id);
  sort(sessions);
}

/** An answer may still have it: the timeline is behind what comes live. The same alert may open it again, with higher
 *  numbers.
 *  @param {Sessions} sessions @param {{ session_id: string, number: number }} message */
export function takeDeletion(sessions, message) {
  remember(sessions.deleted, message.session_id, message.number);
  forget(sessions, [message.session_id]);
}

/** Rows that satisfy `belongs`, are not among `answered`, and have not changed since the read began.
 *  @param {Sessions} sessions @param {number} read @param {Set<string>} answered @param {(row: Row) => boolean} belongs */
export function missing(sessions, read, answered, belongs) {
  const isOlder = (/** @type {Row} */ row) => (sessions.touched.get(row.id) ?? 0) < read;
  return sessions.rows.filter((row) => belongs(row) && !answered.has(row.id) && isOlder(row)).map((row) => row.id);
}

/** Where each waits now, as the queue says; those that it does not name stay as they are.
 *  @param {Sessions} sessions @param {Map<string, number>} positions */
export function takePositions(sessions, positions) {
  for (const row of sessions.rows) {
    const position = positions.get(row.id);
    if (position !== undefined && position !== row.queuePosition) {
      sessions.byId.set(row.id, { ...row, queuePosition: position });
    }
  }
  sort(sessions);
}

/** Whether the API's answer has reached what came live. @param {Sessions} sessions @param {string} id */
export function isAnswered({ byId }, id) {
  const row = byId.get(id);
  return row !== undefined && row.answered >= row.number;
}

/** @param {Row} before @param {Row} after */
export function hasJustEnded(before, after) {
  return !hasEnded(before.status) && hasEnded(after.status);
}

/** @param {Sessions} sessions @param {Listed} row @param {Row | undefined} before */
function put(sessions, row, before) {
  if (row.last_number <= (sessions.deleted.get(row.id) ?? 0)) return;
  sessions.byId.set(row.id, before === undefined ? fromRow(row) : newer(before, row));
}

/** Answers may come in another order than they were asked for. @param {Row} before @param {Listed} row */
function newer(before, row) {
  if (before.answered > row.last_number) return before;
  return before.number > row.last_number ? { ...fromRow(row), ...live(before) } : fromRow(row);
}

/** @param {Sessions} sessions */
function sort(sessions) {
  sessions.rows = [...sessions.byId.values()].sort(byTime);
}

/** @param {Row} row @param {StatusMessage} message @returns {Row} */
function withStatus(row, message) {
  const isOver = hasEnded(message.status);
  return {
    ...row,
    status: message.status,
    number: message.number,
    startedAt: message.status === "in_progress" ? (row.startedAt ?? message.timestamp) : row.startedAt,
    endedAt: isOver ? message.timestamp : null,
    summary: (message.executive_summary ?? message.final_analysis ?? row.summary).slice(0, LONGEST_SUMMARY),
    failure: message.error_message ?? row.failure,
    partialReason: message.partial_reason ?? row.partialReason,
    evidenceLimits: message.evidence_limits ?? row.evidenceLimits,
    now: isOver ? null : row.now,
  };
}

/** @param {Row} row */
function live({ status, startedAt, endedAt, number, summary, failure, partialReason, evidenceLimits }) {
  return { status, startedAt, endedAt, number, summary, failure, partialReason, evidenceLimits };
}

/** The latest first, as the API sorts.
 *  @param {Row} one @param {Row} other */
export function byTime(one, other) {
  if (one.createdAt !== other.createdAt) return one.createdAt < other.createdAt ? 1 : -1;
  return one.id < other.id ? 1 : -1;
}
