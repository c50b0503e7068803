"""Replies to workers and people, once a decision came back.

Pure, and from state and input alone: so the same reply can be sent again.
"""

from collections.abc import Iterator, Sequence
from typing import assert_never

from tarsy_contracts import events as e
from tarsy_contracts.builtin_tools import CANCEL_AGENT, OWN_SERVER
from tarsy_contracts.messages import inputs as i
from tarsy_contracts.messages.control import CallCancelled, ClaimGranted, ClaimRefused, Control, RequestAnswered
from tarsy_session.actions.dry_runs import is_tried_out
from tarsy_session.executions.children import ancestors_of
from tarsy_session.phases import CANCEL_ANSWERS
from tarsy_session.state import AtRest, Claim, Investigating, NotStarted, SessionState, Unsupported
from tarsy_session.state_queries import call_of_summary

FORGOTTEN = "the request was refused a while ago; the reason is not kept any longer"


def replies_to(state: SessionState, decided: i.Input) -> Sequence[Control]:
    """`state` is the state after the decision on the input, or the present one when it was decided long ago."""
    if isinstance(state, Unsupported):
        return []
    match decided:
        case i.CallClaimed():
            return _to_claim(state, decided)
        case i.ChatRequested():
            return [to_request(state, decided.request_id), *_interrupted(state)]
        case (
            i.CallDecisionRequested()
            | i.BudgetDecisionRequested()
            | i.ReviewRequested()
            | i.ScoreRequested()
            | i.MemoryChangeRequested()
            | i.SessionDeleteRequested()
        ):
            return [to_request(state, decided.request_id)]
        case i.CancelRequested():
            return [to_request(state, decided.request_id), *cancellations(state)]
        case i.WorkerDied():
            return _to_dead_worker(state, decided)
        case i.DeadlinePassed():
            return _no_longer_waited_for(state, decided.call_id)
        case i.LlmCallReported():
            return _of_ended_sub_agents(state, decided)
        case (
            i.AlertReceived()
            | i.AlertResolutionReported()
            | i.CallNotStarted()
            | i.ToolCallReported()
            | i.SummaryReported()
            | i.SessionReleaseRequested()
            | i.SessionFailRequested()
            | i.ToolsOffered()
            | i.SessionAdmitted()
        ):
            return []
    assert_never(decided)


def _to_claim(state: SessionState, claimed: i.CallClaimed) -> Sequence[Control]:
    """A repeatable call needs no grant. A worker whose call nobody waits for, or another runs, is refused."""
    if not isinstance(state, Investigating):
        return [_refusal(claimed, "the session is not running")]
    call = state.calls.get(claimed.call_id)
    if call is None:
        summarised = call_of_summary(state.calls, claimed.call_id)
        if summarised is None or summarised.summary is None or summarised.summary.ended is not None:
            return [_refusal(claimed, "nobody waits for this call")]
        return _unless_held(claimed, summarised.summary.claim)
    if not call.open:
        return [_refusal(claimed, "nobody waits for this call")]
    if call.waits_for_person:
        return [_refusal(claimed, "the call waits for a person")]
    if is_tried_out(state, call):
        return [_refusal(claimed, "the call waits for its dry run")]
    if call.requested.repeatable:
        return _unless_held(claimed, call.claim)
    if call.claim is None or call.claim.claim_id != claimed.claim_id:
        return [_refusal(claimed, "the call has another claim")]
    return [ClaimGranted(call_id=claimed.call_id, claim_id=claimed.claim_id)]


def _unless_held(claimed: i.CallClaimed, claim: Claim | None) -> Sequence[Control]:
    """A call that runs elsewhere already need not run here as well."""
    if claim is None or claim.claim_id == claimed.claim_id:
        return []
    return [_refusal(claimed, "the call has another claim")]


def _to_dead_worker(state: SessionState, died: i.WorkerDied) -> Sequence[Control]:
    """The worker may only have slept: its claim is void. The call is not cancelled, as it may go on elsewhere.

    A call that may run twice goes on there, too, until another has claimed it.
    """
    if _may_run_on(state, died):
        return []
    return [_refusal(died, "its worker was taken for dead")]


def _may_run_on(state: SessionState, died: i.WorkerDied) -> bool:
    if not isinstance(state, Investigating):
        return False
    call = state.calls.get(died.call_id)
    if call is not None:
        return call.open and _is_free_or_held(call.claim, died, repeatable=call.requested.repeatable)
    summarised = call_of_summary(state.calls, died.call_id)
    summary = summarised.summary if summarised is not None else None
    return summary is not None and summary.ended is None and _is_free_or_held(summary.claim, died, repeatable=True)


def _is_free_or_held(claim: Claim | None, died: i.WorkerDied, *, repeatable: bool) -> bool:
    """Held: the death was not decided."""
    return repeatable if claim is None else claim.claim_id == died.claim_id


def _refusal(claimed: i.CallClaimed | i.WorkerDied, reason: str) -> ClaimRefused:
    return ClaimRefused(call_id=claimed.call_id, claim_id=claimed.claim_id, reason=reason)


def to_request(state: SessionState, request_id: str) -> RequestAnswered:
    if isinstance(state, NotStarted) and request_id and state.deleted_by == request_id:
        return RequestAnswered(request_id=request_id, accepted=True, code=200, reason="")
    answer = None if isinstance(state, NotStarted | Unsupported) else state.answers.get(request_id)
    if answer is None and not isinstance(state, NotStarted | Unsupported) and state.refusals_forgotten:
        return RequestAnswered(request_id=request_id, accepted=False, code=409, reason=FORGOTTEN)
    match answer:
        case None:
            return RequestAnswered(request_id=request_id, accepted=False, code=404, reason="there is no such session")
        case e.RequestAccepted() | e.SessionReleased():
            reason = CANCEL_ANSWERS.get(answer.request, "")
            return RequestAnswered(request_id=request_id, accepted=True, code=200, reason=reason)
        case e.RequestRefused():
            return RequestAnswered(request_id=request_id, accepted=False, code=answer.code, reason=answer.reason)


def cancellations(state: SessionState) -> Sequence[Control]:
    """A cancelled session needs none of its calls: neither those that were abandoned nor those that may have run."""
    if isinstance(state, NotStarted | Unsupported):
        return []
    cancelled = [
        CallCancelled(call_id=call_id) for call_id, call in state.calls.items() if call.may_have_run or call.abandoned
    ]
    summaries = [
        CallCancelled(call_id=call.summary.requested.summary_id)
        for call in state.calls.values()
        if call.summary is not None and isinstance(call.summary.ended, e.SummaryFailed)
    ]
    return [*cancelled, *summaries]


def _interrupted(state: SessionState) -> Sequence[Control]:
    """The question may have ended a phase; nobody waits for its calls any more."""
    runs = state.phase_runs if isinstance(state, Investigating) else ()
    return cancellations(state) if runs and runs[-1].completed is None else []


def _of_ended_sub_agents(state: SessionState, reported: i.LlmCallReported) -> Sequence[Control]:
    """Nobody waits for the calls of sub-agents that this answer has ended, and of those below them.

    They end because the answer cancels them, or because the agent that sent them ends with it.
    """
    if isinstance(state, NotStarted | Unsupported):
        return []
    sub_agents = [one for one in state.executions.values() if one.parent_id]
    if not sub_agents:
        return []
    ended = {*_cancelled_by(state, reported.llm_call_id), *_ended_by(state, reported.llm_call_id)}
    below = {one.id for one in sub_agents if ended & {one.id, *(above.id for above in ancestors_of(state, one))}}
    return [
        CallCancelled(call_id=call_id)
        for call_id, call in state.calls.items()
        if call.requested.execution_id in below and call.abandoned
    ]


def _cancelled_by(state: Investigating | AtRest, llm_call_id: str) -> Iterator[str]:
    for call in state.calls.values():
        requested = call.requested
        if requested.llm_call_id == llm_call_id and (requested.server, requested.tool) == (OWN_SERVER, CANCEL_AGENT):
            yield str(requested.arguments.get("execution_id"))


def _ended_by(state: Investigating | AtRest, llm_call_id: str) -> Iterator[str]:
    for execution in state.executions.values():
        last = execution.turns[-1].requested.llm_call_id if execution.turns else ""
        failed = "" if execution.retries.failed is None else execution.retries.failed.llm_call_id
        if not execution.open and llm_call_id in (last, failed):
            yield execution.id


def _no_longer_waited_for(state: SessionState, id: str) -> Sequence[Control]:
    """Cancels the call whose time was up, or all calls that were open when an iteration or the session ended."""
    calls = {} if isinstance(state, NotStarted | Unsupported) else state.calls
    if id in calls or call_of_summary(calls, id) is not None:
        return [] if _open(state, id) else [CallCancelled(call_id=id)]
    return cancellations(state)


def _open(state: SessionState, call_id: str) -> bool:
    if not isinstance(state, Investigating):
        return False
    call = state.calls.get(call_id)
    if call is not None:
        return call.open
    summarised = call_of_summary(state.calls, call_id)
    return summarised is not None and summarised.summary is not None and summarised.summary.ended is None
