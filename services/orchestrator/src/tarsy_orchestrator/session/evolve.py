"""What happened: an accepted event makes the next state. Pure, and never an exception."""

from dataclasses import replace

from tarsy_contracts import events as e
from tarsy_contracts.recorded import Recorded
from tarsy_orchestrator.session.evolve_calls import call_event, call_requested, outcome_learned, summary_event
from tarsy_orchestrator.session.evolve_llm import fell_back, llm_event
from tarsy_orchestrator.session.evolve_stages import (
    execution_completed,
    execution_started,
    stage_completed,
    stage_started,
    tools_offered,
)
from tarsy_orchestrator.session.state import (
    REFUSALS_KEPT,
    Absent,
    Answered,
    Beyond,
    Cancelled,
    Ended,
    Investigating,
    State,
)

type Known = Investigating | Ended


def evolve(state: State, record: Recorded) -> State:
    """An event that makes no sense in this state is from code that this code does not know: Beyond."""
    decided = state.decided if record.envelope.decided is None else max(state.decided, record.envelope.decided)
    event = record.event
    if isinstance(state, Beyond):
        return _after_unreadable(replace(state, decided=decided), event)
    if event is None:
        return Beyond(decided)
    if isinstance(event, e.SessionStarted):
        return _opened(event, record, decided) if isinstance(state, Absent) else Beyond(decided)
    if isinstance(state, Absent):
        return Beyond(decided)
    known = replace(state, decided=decided)
    match event:
        case e.AlertRepeated():
            return replace(known, repeats=known.repeats | {event.input_id})
        case e.RequestAccepted() | e.RequestRefused() | e.SessionReleased():
            return _answered(known, event, record)
        case e.ToolCallOutcomeLearned():
            return outcome_learned(known, event) or Beyond(decided)
        case _:
            return _investigate(known, event, record) if isinstance(known, Investigating) else Beyond(decided)


def _opened(event: e.SessionStarted, record: Recorded, decided: int) -> State:
    return Investigating(session_id=record.session_id, started=event, decided=decided, opened_at=record.appended_at)


def _after_unreadable(state: Beyond, event: e.Event | None) -> State:
    """An operator can end what cannot be read; nothing else makes sense of it."""
    if isinstance(event, e.SessionFailed) and event.request_id:
        return Ended(started=None, decided=state.decided, ended=event)
    return state


def _answered(state: Known, event: Answered, record: Recorded) -> State:
    answers = {**state.answers, event.request_id: event}
    refused = [id for id, answer in answers.items() if isinstance(answer, e.RequestRefused)]
    forgotten = refused[:-REFUSALS_KEPT]
    for id in forgotten:
        del answers[id]
    answered = replace(state, answers=answers, refusals_forgotten=state.refusals_forgotten or bool(forgotten))
    if isinstance(answered, Investigating) and isinstance(event, e.RequestAccepted):
        return replace(answered, cancelled=Cancelled(event.author, record.appended_at))
    return answered


def _investigate(state: Investigating, event: e.Event, record: Recorded) -> State:  # noqa: C901 - one case an event
    after: Investigating | None
    match event:
        case e.StageStarted():
            after = stage_started(state, event, record)
        case e.StageToolsOffered():
            after = tools_offered(state, event)
        case e.StageCompleted():
            after = stage_completed(state, event)
        case e.ExecutionStarted():
            after = execution_started(state, event)
        case e.ExecutionCompleted():
            after = execution_completed(state, event)
        case e.ProviderFellBack():
            after = fell_back(state, event)
        case e.LlmCallRequested() | e.LlmCallCompleted() | e.LlmCallFailed():
            after = llm_event(state, event, record)
        case e.ToolCallRequested():
            after = call_requested(state, event, record)
        case e.ToolCallStarted() | e.ToolCallReleased() | e.ToolCallCompleted():
            after = call_event(state, event, record)
        case e.SummaryRequested() | e.SummaryStarted() | e.SummaryReleased() | e.SummaryCompleted() | e.SummaryFailed():
            after = summary_event(state, event, record)
        case e.SessionCompleted() | e.SessionFailed() | e.SessionCancelled() | e.SessionTimedOut():
            return Ended(
                started=state.started,
                decided=state.decided,
                ended=event,
                calls=state.calls,
                answers=state.answers,
                refusals_forgotten=state.refusals_forgotten,
                repeats=state.repeats,
            )
        case _:
            after = None
    return Beyond(state.decided) if after is None else after
