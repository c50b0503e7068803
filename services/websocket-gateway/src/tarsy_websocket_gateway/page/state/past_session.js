// A session as it was after one of its events: the API's answer, folded like a history.

import { newSession, take } from "./session_state.js";

/** @typedef {import("./session_state.js").Session} Session
 *  @typedef {import("./session_state.js").Message} Message
 *  @typedef {import("tarsy-api").components["schemas"]["PastSession"]} PastSession
 *  @typedef {PastSession["session"]} Detail
 *  @typedef {Detail["stages"][number]} StageRow
 *  @typedef {StageRow["executions"][number]} ExecutionRow
 *  @typedef {PastSession["timeline"][number]} EventRow */

/** @param {PastSession} answer
 *  @returns {Session} */
export function pastSession(answer) {
  const session = newSession();
  for (const message of messagesOf(answer)) take(session, message);
  for (const row of answer.session.stages) {
    setTimes(session.stages.get(row.id), row);
    for (const one of row.executions) setTimes(session.executions.get(one.execution_id), one);
  }
  session.startedAt = answer.session.started_at ?? null;
  return session;
}

/** The status comes last, as in a history.
 *  @param {PastSession} answer
 *  @returns {Message[]} */
function messagesOf({ session, timeline, last_number: number, time }) {
  return [
    ...session.stages.flatMap((row) => [
      stageOf(row, session.id),
      ...row.executions.map((one) => agentOf(one, row, session.id)),
    ]),
    ...timeline.map(itemOf),
    {
      type: "session.status",
      session_id: session.id,
      timestamp: session.completed_at ?? time,
      number,
      status: session.status,
      final_analysis: session.final_analysis ?? null,
      error_message: session.error_message ?? null,
      executive_summary: session.executive_summary ?? null,
      executive_summary_error: session.executive_summary_error ?? null,
      partial_reason: session.partial_reason ?? null,
      evidence_limits: session.evidence_limits ?? [],
    },
  ];
}

/** @param {StageRow} row
 *  @param {string} session_id
 *  @returns {Message} */
function stageOf({ id, executions: _, ...row }, session_id) {
  const status = row.status === "active" ? "started" : row.status;
  const timestamp = row.completed_at ?? row.started_at ?? "";
  return { ...row, type: "stage.status", stage_id: id, session_id, timestamp, status };
}

/** @param {ExecutionRow} row
 *  @param {StageRow} stage
 *  @param {string} session_id
 *  @returns {Message} */
function agentOf(row, stage, session_id) {
  const timestamp = row.completed_at ?? row.started_at ?? "";
  return { ...row, type: "execution.status", stage_id: stage.id, session_id, timestamp };
}

/** @param {EventRow} row
 *  @returns {Message} */
function itemOf({ id, updated_at, created_at: _, ...row }) {
  return { ...row, type: "timeline_event.created", event_id: id, timestamp: updated_at };
}

/** @param {import("./session_state.js").Times | undefined} step
 *  @param {{ started_at?: string | null, completed_at?: string | null }} row */
function setTimes(step, row) {
  if (step === undefined) return;
  step.beganAt = row.started_at ?? null;
  step.endedAt = row.completed_at ?? null;
}
