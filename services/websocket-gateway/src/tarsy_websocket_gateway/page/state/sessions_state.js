// The list of sessions, from the REST API and live messages: no DOM, no clock, no network.

import { hasEnded } from "../words/wording.js";

export function newSessions() {
  return { rows: [], byId: new Map() };
}

/** Takes a page of the list. A status that came live, and is newer, stays. */
export function takePage(sessions, rows) {
  const known = sessions.byId;
  sessions.rows = rows.map((row) => {
    const before = known.get(row.id);
    return before === undefined || before.number <= row.last_number
      ? fromRow(row)
      : { ...fromRow(row), ...live(before) };
  });
  sessions.byId = new Map(sessions.rows.map((row) => [row.id, row]));
}

/** Whether the session is on this page of the list. */
export function takeStatus(sessions, message) {
  const row = sessions.byId.get(message.session_id);
  if (row === undefined) return false;
  if (message.number >= row.number) {
    row.status = message.status;
    row.number = message.number;
    if (message.status === "in_progress") row.startedAt ??= message.timestamp;
    if (hasEnded(message.status)) row.endedAt = message.timestamp;
  }
  return true;
}

function fromRow(row) {
  return {
    id: row.id,
    title: row.title || row.alert_type || row.id,
    alertType: row.alert_type,
    severity: row.severity,
    where: [row.cluster, row.namespace, row.workload].filter(Boolean).join("/"),
    source: row.source,
    scripted: row.scripted,
    createdAt: row.created_at,
    status: row.status,
    queuePosition: row.queue_position ?? null,
    approvalsWaiting: row.approvals_waiting ?? 0,
    startedAt: row.started_at,
    endedAt: row.completed_at,
    number: row.last_number,
  };
}

function live({ status, startedAt, endedAt, number }) {
  return { status, startedAt, endedAt, number };
}
