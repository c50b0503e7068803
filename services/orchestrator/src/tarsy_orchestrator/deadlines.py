"""What nobody waits for any longer: of a call, an iteration, a cancelled session, a session. Pure.

Deadlines count from the broker's stamps of the log, and have passed when the broker's stamp of an input says so.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from tarsy_contracts import events as e
from tarsy_contracts.identities import iteration_id
from tarsy_orchestrator.closing import UNKNOWN, close_question, give_up_at_risk, time_out
from tarsy_orchestrator.failures import ITERATION_TIMEOUT
from tarsy_orchestrator.state import Call, Execution, Investigating, call_of_summary

CANCEL_GRACE = timedelta(seconds=1)
"""So long a cancelled session waits for the outcome of calls that may have taken effect."""


def deadlines(state: Investigating) -> Iterator[tuple[str, datetime]]:
    """Those of the session and of its iterations, each under the id that `deadline.passed` names."""
    if state.cancelled is not None:
        yield state.session_id, state.cancelled.at + CANCEL_GRACE
        return
    if state.began_at is not None:
        yield state.session_id, state.began_at + timedelta(seconds=state.started.chain.limits.session_seconds)
    for execution in state.executions.values():
        if execution.open and execution.deadline is not None:
            yield iteration_id(execution.id, execution.iteration), execution.deadline


def deadline_passed(state: Investigating, id: str, at: datetime) -> list[e.Event]:
    """`id` is that of a call, a summary, an iteration, or the session."""
    if (call := state.calls.get(id)) is not None:
        return _call(call, at)
    if (call := call_of_summary(state.calls, id)) is not None:
        return _summary(call, at)
    found = dict(deadlines(state)).get(id)
    if found is None or at < found:
        return []
    if id != state.session_id:
        return _iteration(state, id)
    if state.cancelled is None:
        return time_out(state, state.started.chain.limits.session_seconds)
    return list(give_up_at_risk(state.calls.values(), f"Cancelled by {state.cancelled.author}."))


def _call(call: Call, at: datetime) -> list[e.Event]:
    if not call.open or at < call.deadline:
        return []
    return [_given_up(call, f"No result after {call.requested.timeout_seconds:g} seconds.")]


def _given_up(call: Call, why: str) -> e.ToolCallCompleted:
    call_id = call.requested.call_id
    if call.at_risk:
        return e.ToolCallCompleted(call_id=call_id, outcome="unknown", content=f"{why} {UNKNOWN}")
    return e.ToolCallCompleted(call_id=call_id, outcome="unavailable", content=why)


def _summary(call: Call, at: datetime) -> list[e.Event]:
    summary = call.summary
    if summary is None or summary.ended is not None or at < summary.deadline:
        return []
    return [_unsummarised(call, f"no summary after {summary.requested.timeout_seconds:g} seconds")]


def _unsummarised(call: Call, error: str) -> e.SummaryFailed:
    assert call.summary is not None
    return e.SummaryFailed(summary_id=call.summary.requested.summary_id, call_id=call.requested.call_id, error=error)


def _iteration(state: Investigating, id: str) -> list[e.Event]:
    """The question is given up, or else the calls that it led to; the agent goes on with what it has."""
    execution = next(one for one in state.executions.values() if iteration_id(one.id, one.iteration) == id)
    seconds = state.started.chain.limits.iteration_seconds
    error = f"the iteration took longer than {seconds:g} seconds"
    question = list(close_question(execution, error, ITERATION_TIMEOUT, retryable=True))
    return [*question, *_calls(state, execution, f"{error[:1].upper()}{error[1:]}.")]


def _calls(state: Investigating, execution: Execution, why: str) -> Sequence[e.Event]:
    calls = [state.calls[call_id] for call_id in execution.turns[-1].calls] if execution.turns else []
    events: list[e.Event] = []
    for call in calls:
        if call.open:
            events.append(_given_up(call, why))
        elif not call.settled:
            events.append(_unsummarised(call, why))
    return events
