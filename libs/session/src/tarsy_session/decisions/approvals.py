"""Decisions about calls that wait for a person: what he decided, and his silence. Pure."""

from dataclasses import replace
from datetime import datetime

from tarsy_contracts import events as e
from tarsy_contracts.messages import inputs as i
from tarsy_contracts.roles import is_enough
from tarsy_contracts.wire.same_fields import copy_fields
from tarsy_session.actions.dry_runs import is_tried_out
from tarsy_session.actions.guard import find_late_hold
from tarsy_session.decision_input import OPEN_GATE, ActionGate
from tarsy_session.decisions.chat import accept, refuse
from tarsy_session.state import AtRest, Investigating, ToolCallState
from tarsy_session.termination import fail
from tarsy_session.text import shorten
from tarsy_session.tool_answers import answer_call

REASON_CHARACTERS = 4_000
NO_SUCH_CALL = "no call of this session with this id has asked for approval"
TOO_LITTLE = "a decision about this call needs the role {needed}, and you have the role {role}"
STILL_TRIED = "its dry run has not ended yet: look at what it says first"
ENDED = "the session has already ended"


def request_approval(
    state: Investigating, answer: e.LlmCallCompleted, call: e.ToolCallRequested, trial: e.ToolCallRequested | None
) -> e.ToolCallApprovalRequested:
    """`answer`: the turn in which the agent asked for the call; its words are the reason that people read. `trial`: its
    dry run, if it has one.
    """
    terms = state.started.chain.approval
    return copy_fields(
        e.ToolCallApprovalRequested,
        call,
        reason=shorten((answer.text or answer.thinking).strip(), REASON_CHARACTERS),
        role=terms.role,
        timeout_seconds=terms.timeout_seconds,
        on_timeout=terms.on_timeout,
        dry_run="" if trial is None else trial.call_id,
    )


def decide_approval(
    state: Investigating, request: i.CallDecisionRequested, at: datetime, gate: ActionGate = OPEN_GATE
) -> list[e.Event]:
    """The first decision about a call counts."""
    if request.request_id in state.answers:
        return []
    call = state.calls.get(request.call_id)
    if call is None or call.approval is None:
        return [refuse(request, request.decision, 404, NO_SUCH_CALL)]
    if not call.waits_for_person or state.cancelled is not None:
        return [refuse(request, request.decision, 409, _describe_decision(call))]
    needed = call.approval.requested.role
    if not is_enough(request.role, needed):
        return [refuse(request, request.decision, 403, TOO_LITTLE.format(needed=needed, role=request.role))]
    approved = request.decision == e.APPROVE
    if approved and is_tried_out(state, call):
        return [refuse(request, request.decision, 409, STILL_TRIED)]
    if approved and (hold := find_late_hold(state, call, gate, at)) is not None:
        return [refuse(request, request.decision, 409, hold.sentence)]
    decided = copy_fields(e.ToolCallApprovalDecided, request, outcome="approved" if approved else "denied")
    events: list[e.Event] = [accept(request, request.decision), decided]
    if approved:
        return events
    comment = f" The comment: {request.comment}" if request.comment else ""
    return [
        *events,
        answer_call(request.call_id, "rejected", f"{request.author} denied this call. It did not run.{comment}"),
    ]


def refuse_at_rest(state: AtRest, request: i.CallDecisionRequested) -> list[e.Event]:
    if request.request_id in state.answers:
        return []
    call = state.calls.get(request.call_id)
    if call is None or call.approval is None:
        return [refuse(request, request.decision, 404, NO_SUCH_CALL)]
    return [refuse(request, request.decision, 409, _describe_decision(call))]


def expire(state: Investigating, call: ToolCallState) -> list[e.Event]:
    """Nobody decided in time: the call is denied, or the session fails."""
    if call.approval is None:
        return []
    call_id, requested = call.requested.call_id, call.approval.requested
    why = f"Nobody approved this call within {requested.timeout_seconds:g} seconds."
    ended: list[e.Event] = [
        e.ToolCallApprovalDecided(call_id=call_id, outcome="expired"),
        answer_call(call_id, "rejected", f"{why} It did not run."),
    ]
    if requested.on_timeout == "deny":
        return ended
    others = {id: one for id, one in state.calls.items() if id != call_id}
    error = (
        f"nobody approved the call of {requested.server}.{requested.tool} within {requested.timeout_seconds:g} seconds"
    )
    return [*ended, *fail(replace(state, calls=others), error)]


def _describe_decision(call: ToolCallState) -> str:
    decided = call.approval.decided if call.approval is not None else None
    match decided:
        case e.ToolCallApprovalDecided(outcome="approved" | "denied"):
            return f"the call was {decided.outcome} already, by {decided.author}"
        case e.ToolCallApprovalDecided(outcome="expired"):
            return "the call was denied already: nobody had decided in time"
        case _:
            return ENDED if decided is None else "the call was cancelled before anybody had decided"
