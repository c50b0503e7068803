"""Evolution of tool calls and summaries. Pure; None for an event that makes no sense here."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from tarsy_contracts import events as e
from tarsy_contracts.events.recorded import RecordedEvent
from tarsy_contracts.messages.requests import LogPosition
from tarsy_session.evolution.budgets import add_spending
from tarsy_session.evolution.stages import with_execution
from tarsy_session.state import (
    AtRest,
    Claim,
    Investigating,
    Learned,
    Summary,
    ToolCallState,
    deadline_after,
)
from tarsy_session.state_queries import call_of_summary

type Change = Callable[[ToolCallState], ToolCallState]
type Calls = Mapping[str, ToolCallState]
type CallStep = e.ToolCallStarted | e.ToolCallReleased | e.ToolCallCompleted
type CallEvent = e.ToolCallRequested | CallStep
type SummaryStep = e.SummaryStarted | e.SummaryReleased | e.SummaryCompleted | e.SummaryFailed
type SummaryEvent = e.SummaryRequested | SummaryStep


def _requested(state: Investigating, event: e.ToolCallRequested, record: RecordedEvent) -> Investigating | None:
    call = ToolCallState(requested=event, deadline=deadline_after(record.appended_at, event.timeout_seconds))
    known = replace(state, calls={**state.calls, event.call_id: call})
    if not event.execution_id or event.dry_run_of or event.verifies:
        return known
    execution = state.executions.get(event.execution_id)
    if execution is None or not execution.turns:
        return None
    last = execution.turns[-1]
    turn = replace(last, calls=(*last.calls, event.call_id))
    return with_execution(known, replace(execution, turns=(*execution.turns[:-1], turn)))


def apply_call_event(state: Investigating, event: CallEvent, record: RecordedEvent) -> Investigating | None:
    if isinstance(event, e.ToolCallRequested):
        return _requested(state, event, record)
    calls = change_call(state.calls, event.call_id, lambda call: _run(call, event, record))
    return None if calls is None else replace(state, calls=_with_tried_call(calls, event, record))


def _with_tried_call(calls: Calls, event: CallStep, record: RecordedEvent) -> Calls:
    """The time of a call begins anew when its dry run has ended."""
    tried = calls.get(calls[event.call_id].requested.dry_run_of)
    if tried is None or not isinstance(event, e.ToolCallCompleted):
        return calls
    deadline = deadline_after(record.appended_at, tried.requested.timeout_seconds)
    return {**calls, tried.requested.call_id: replace(tried, deadline=deadline)}


def apply_summary_event(state: Investigating, event: SummaryEvent, record: RecordedEvent) -> Investigating | None:
    if isinstance(event, e.SummaryRequested):
        summary = Summary(requested=event, deadline=deadline_after(record.appended_at, event.timeout_seconds))
        calls = change_call(state.calls, event.call_id, lambda call: replace(call, summary=summary))
        return None if calls is None else replace(state, calls=calls)
    call = call_of_summary(state.calls, event.summary_id)
    if call is None or call.summary is None:
        return None
    changed = replace(call, summary=_shorten(call.summary, event, record))
    if isinstance(event, e.SummaryCompleted | e.SummaryFailed):
        state = add_spending(state, event)
    return replace(state, calls={**state.calls, call.requested.call_id: changed})


def apply_outcome_learned[S: Investigating | AtRest](state: S, event: e.ToolCallOutcomeLearned) -> S | None:
    """The agent that made the call reads it in its next prompt. An agent that has concluded, or a session at rest,
    stays as it is; the outcome is kept for later."""
    call = state.calls.get(event.call_id)
    if call is None:
        return None
    learned = replace(call, learned=Learned(event, _turns_begun(state, call)))
    return replace(state, calls={**state.calls, event.call_id: learned})


def _turns_begun(state: Investigating | AtRest, call: ToolCallState) -> int:
    execution = state.executions.get(call.requested.execution_id)
    if execution is None:
        return 0
    # At rest no answer comes any more.
    return execution.turns_begun if isinstance(state, Investigating) else len(execution.turns)


def change_call(calls: Mapping[str, ToolCallState], call_id: str, change: Change) -> Mapping[str, ToolCallState] | None:
    call = calls.get(call_id)
    return None if call is None else {**calls, call_id: change(call)}


def _run(call: ToolCallState, event: CallStep, record: RecordedEvent) -> ToolCallState:
    match event:
        case e.ToolCallStarted():
            return replace(call, claim=Claim(event.claim_id, event.worker_id, since=record.appended_at))
        case e.ToolCallReleased():
            return replace(call, claim=None, releases=call.releases + 1)
        case e.ToolCallCompleted():
            position = LogPosition(partition=record.partition, offset=record.offset)
            return replace(call, completed=event, result_at=position, completed_at=record.appended_at)


def _shorten(summary: Summary, event: SummaryStep, record: RecordedEvent) -> Summary:
    match event:
        case e.SummaryStarted():
            return replace(summary, claim=Claim(event.claim_id, event.worker_id, since=record.appended_at))
        case e.SummaryReleased():
            return replace(summary, claim=None, releases=summary.releases + 1)
        case e.SummaryCompleted() | e.SummaryFailed():
            return replace(summary, ended=event)
