// What the API answers of a session, in the terms of its messages.

import { hasEnded } from "../words/wording.js";

/** @typedef {import("tarsy-api").components["schemas"]["SessionDetail"]} Detail */

/** So that something is there before the WebSocket is.
 *  @param {Detail} detail
 *  @returns {import("tarsy-live").components["schemas"]["SessionStatusChanged"]} */
export function asStatus(detail) {
  return {
    type: "session.status",
    session_id: detail.id,
    number: detail.last_number,
    status: detail.status,
    final_analysis: detail.final_analysis,
    executive_summary: detail.executive_summary,
    executive_summary_error: detail.executive_summary_error,
    partial_reason: detail.partial_reason,
    evidence_limits: detail.evidence_limits,
    error_message: detail.error_message,
    timestamp: detail.completed_at ?? detail.started_at ?? detail.created_at,
  };
}

/** When an agent began, and when it ended: as the API has it, or else as its messages came.
 *  @param {Detail | null} detail
 *  @param {import("./session_state.js").Execution} agent
 *  @returns {{ from: string | null, until: string | null }} */
export function timesOf(detail, { execution_id: id, stage_id: stage, status, beganAt, endedAt }) {
  const known = detail?.stages?.find((one) => one.id === stage);
  const row = known?.executions.find((one) => one.execution_id === id);
  const from = row?.started_at ?? beganAt;
  return { from, until: row?.completed_at ?? endedAt ?? (hasEnded(status) ? from : null) };
}
