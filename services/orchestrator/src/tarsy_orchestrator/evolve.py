"""What happened: an accepted event makes the next state. Pure, and never an exception."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from tarsy_contracts import events as e
from tarsy_contracts.recorded import Recorded
from tarsy_contracts.requests import LogPosition
from tarsy_orchestrator.state import (
    Absent,
    Beyond,
    Call,
    Claim,
    Ended,
    Execution,
    Investigating,
    State,
    Summary,
    Turn,
    call_of_summary,
    deadline,
)

type Known = Investigating | Ended
type Change = Callable[[Call], Call]


def evolve(state: State, record: Recorded) -> State:
    """An event that makes no sense in this state is from code that this code does not know: Beyond."""
    decided = state.decided if record.envelope.decided is None else max(state.decided, record.envelope.decided)
    event = record.event
    if event is None or isinstance(state, Beyond):
        return Beyond(decided)
    if isinstance(event, e.SessionStarted):
        return Investigating(started=event, decided=decided) if isinstance(state, Absent) else Beyond(decided)
    if isinstance(state, Absent):
        return Beyond(decided)
    known = replace(state, decided=decided)
    match event:
        case e.AlertRepeated():
            return replace(known, repeats=known.repeats | {event.input_id})
        case e.RequestAccepted() | e.RequestRefused():
            return _answered(known, event)
        case e.ToolCallOutcomeLearned():
            return _change_call(known, event.call_id, lambda call: replace(call, outcome_learned=True))
        case _:
            return _investigate(known, event, record) if isinstance(known, Investigating) else Beyond(decided)


def _answered(state: Known, event: e.RequestAccepted | e.RequestRefused) -> State:
    answered = replace(state, answers={**state.answers, event.request_id: event})
    if isinstance(answered, Investigating) and isinstance(event, e.RequestAccepted):
        return replace(answered, cancelled_by=event.author)
    return answered


def _investigate(state: Investigating, event: e.Event, record: Recorded) -> State:
    match event:
        case e.StageStarted():
            return replace(state, stage=event)
        case e.ExecutionStarted():
            agent = state.started.chain.stages[0].agents[0]
            return replace(state, execution=Execution(started=event, agent=agent))
        case e.LlmCallRequested() | e.LlmCallCompleted() | e.LlmCallFailed():
            return _converse(state, event)
        case e.ToolCallRequested():
            return _called(state, event, record)
        case e.ToolCallStarted() | e.ToolCallReleased() | e.ToolCallCompleted():
            return _change_call(state, event.call_id, lambda call: _run(call, event, record))
        case e.SummaryRequested():
            summary = Summary(requested=event, deadline=deadline(record.appended_at, event.timeout_seconds))
            return _change_call(state, event.call_id, lambda call: replace(call, summary=summary))
        case e.SummaryStarted() | e.SummaryReleased() | e.SummaryCompleted() | e.SummaryFailed():
            return _change_summary(state, event, record)
        case e.ExecutionCompleted() | e.StageCompleted():
            return state
        case e.SessionCompleted() | e.SessionFailed() | e.SessionCancelled():
            return Ended(
                started=state.started,
                decided=state.decided,
                ended=event,
                calls=state.calls,
                answers=state.answers,
                repeats=state.repeats,
            )
        case _:
            return Beyond(state.decided)


def _converse(state: Investigating, event: e.LlmCallRequested | e.LlmCallCompleted | e.LlmCallFailed) -> State:
    execution = state.execution
    if execution is None:
        return Beyond(state.decided)
    match event:
        case e.LlmCallRequested():
            return replace(state, execution=replace(execution, waiting_for=event, iteration=event.iteration))
        case e.LlmCallCompleted():
            if execution.waiting_for is None:
                return Beyond(state.decided)
            turns = (*execution.turns, Turn(requested=execution.waiting_for, answer=event))
            return replace(state, execution=replace(execution, waiting_for=None, turns=turns))
        case e.LlmCallFailed():
            return replace(state, execution=replace(execution, waiting_for=None))


def _called(state: Investigating, event: e.ToolCallRequested, record: Recorded) -> State:
    execution = state.execution
    if execution is None or not execution.turns:
        return Beyond(state.decided)
    last = execution.turns[-1]
    turn = replace(last, calls=(*last.calls, event.call_id))
    call = Call(requested=event, deadline=deadline(record.appended_at, event.timeout_seconds))
    return replace(
        state,
        execution=replace(execution, turns=(*execution.turns[:-1], turn)),
        calls={**state.calls, event.call_id: call},
    )


type CallEvent = e.ToolCallStarted | e.ToolCallReleased | e.ToolCallCompleted
type SummaryEvent = e.SummaryStarted | e.SummaryReleased | e.SummaryCompleted | e.SummaryFailed


def _run(call: Call, event: CallEvent, record: Recorded) -> Call:
    match event:
        case e.ToolCallStarted():
            return replace(call, claim=Claim(event.claim_id, event.worker_id, since=record.appended_at))
        case e.ToolCallReleased():
            return replace(call, claim=None, releases=call.releases + 1)
        case e.ToolCallCompleted():
            place = LogPosition(partition=record.partition, offset=record.offset)
            return replace(call, completed=event, result_at=place)


def _change_summary(state: Investigating, event: SummaryEvent, record: Recorded) -> State:
    call = call_of_summary(state.calls, event.summary_id)
    if call is None or call.summary is None:
        return Beyond(state.decided)
    summary = _shorten(call.summary, event, record)
    return _change_call(state, call.requested.call_id, lambda found: replace(found, summary=summary))


def _shorten(summary: Summary, event: SummaryEvent, record: Recorded) -> Summary:
    match event:
        case e.SummaryStarted():
            return replace(summary, claim=Claim(event.claim_id, event.worker_id, since=record.appended_at))
        case e.SummaryReleased():
            return replace(summary, claim=None, releases=summary.releases + 1)
        case e.SummaryCompleted() | e.SummaryFailed():
            return replace(summary, ended=event)


def _change_call(state: Known, call_id: str, change: Change) -> State:
    call = state.calls.get(call_id)
    if call is None:
        return Beyond(state.decided)
    calls: Mapping[str, Call] = {**state.calls, call_id: change(call)}
    return replace(state, calls=calls)
