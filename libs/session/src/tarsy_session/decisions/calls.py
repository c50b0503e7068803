"""Decisions on reports of workers about a call, and on their silence. Pure.

`call_id` is the id of a tool call or of a summary; claims are the same for both.
"""

from datetime import datetime

from tarsy_contracts import events as e
from tarsy_contracts.messages import inputs as i
from tarsy_contracts.wire.same_fields import copy_fields
from tarsy_session.actions.dry_runs import may_run
from tarsy_session.actions.guard import find_late_hold, hold_call
from tarsy_session.decision_input import NO_SPENDINGS, OPEN_GATE, ActionGate, Spendings
from tarsy_session.executions.charges import charge_attempts
from tarsy_session.executions.end import UNKNOWN
from tarsy_session.state import Investigating, ToolCallState
from tarsy_session.state_queries import call_of_summary
from tarsy_session.summary_outcomes import complete_summary, fail_summary


def decide_claim(
    state: Investigating, claimed: i.CallClaimed, at: datetime, gate: ActionGate = OPEN_GATE
) -> list[e.Event]:
    call = state.calls.get(claimed.call_id)
    if call is not None:
        if not call.open or call.claim is not None or state.cancelled is not None or not may_run(state, call):
            return []
        if (hold := find_late_hold(state, call, gate, at)) is not None:
            return [hold_call(claimed.call_id, hold)]
        return [e.ToolCallStarted(call_id=claimed.call_id, claim_id=claimed.claim_id, worker_id=claimed.worker_id)]
    owner = call_of_summary(state.calls, claimed.call_id)
    summary = owner.summary if owner else None
    if summary is None or summary.ended is not None or summary.claim is not None:
        return []
    return [e.SummaryStarted(summary_id=claimed.call_id, claim_id=claimed.claim_id, worker_id=claimed.worker_id)]


def decide_release(state: Investigating, call_id: str, claim_id: str, reason: e.ReleaseReason) -> list[e.Event]:
    """Frees the call again. While the session is being cancelled it ends instead, as it never ran."""
    call = state.calls.get(call_id)
    if call is not None:
        if not call.open or call.claim is None or call.claim.claim_id != claim_id:
            return []
        if state.cancelled is not None:
            return [e.ToolCallCompleted(call_id=call_id, outcome="cancelled", content="cancelled before it started")]
        return [e.ToolCallReleased(call_id=call_id, claim_id=claim_id, reason=reason)]
    owner = call_of_summary(state.calls, call_id)
    summary = owner.summary if owner else None
    if summary is None or summary.ended is not None or summary.claim is None or summary.claim.claim_id != claim_id:
        return []
    return [e.SummaryReleased(summary_id=call_id, claim_id=claim_id, reason=reason)]


def decide_tool_report(state: Investigating, reported: i.ToolCallReported) -> list[e.Event]:
    """Accepts one outcome: for a call that may not run twice, only that of the claim that was granted."""
    call = state.calls.get(reported.call_id)
    if call is None:
        return []
    if not call.open:
        return decide_late_outcome(call, reported)
    if not may_run(state, call):
        return []
    if not call.requested.repeatable and (call.claim is None or call.claim.claim_id != reported.claim_id):
        return []
    return [copy_fields(e.ToolCallCompleted, reported)]


def decide_late_outcome(call: ToolCallState | None, reported: i.ToolCallReported) -> list[e.Event]:
    """A late outcome is worth noting when the call had ended as unknown, and it is of the claim that was granted."""
    if call is None or call.completed is None or call.learned is not None or call.completed.outcome != "unknown":
        return []
    if call.claim is None or call.claim.claim_id != reported.claim_id:
        return []
    return [copy_fields(e.ToolCallOutcomeLearned, reported)]


def decide_summary_report(
    state: Investigating, reported: i.SummaryReported, at: datetime, spendings: Spendings = NO_SPENDINGS
) -> list[e.Event]:
    call = call_of_summary(state.calls, reported.call_id)
    summary = call.summary if call else None
    if call is None or summary is None or summary.ended is not None:
        return []
    attempts = charge_attempts(state, reported.attempts, at, spendings)
    reported = reported.model_copy(update={"attempts": attempts})
    if reported.error or not reported.content.strip():
        error = reported.error or "the model returned an empty summary"
        return [fail_summary(call, summary, error, reported)]
    return [complete_summary(call, summary, reported)]


def decide_worker_death(state: Investigating, died: i.WorkerDied) -> list[e.Event]:
    call = state.calls.get(died.call_id)
    if call is None or not call.may_have_run:
        return decide_release(state, died.call_id, died.claim_id, "worker_died")
    if call.claim is None or call.claim.claim_id != died.claim_id:
        return []
    text = f"The worker that ran this call died. {UNKNOWN}"
    return [e.ToolCallCompleted(call_id=died.call_id, outcome="unknown", content=text, claim_id=died.claim_id)]
