"""Evolution of a session: an accepted event makes the next state. Pure, and never an exception."""

from dataclasses import replace

from tarsy_contracts import events as e
from tarsy_contracts.events.recorded import RecordedEvent
from tarsy_session.evolution.alerts import apply_repetition, apply_resolution
from tarsy_session.evolution.approvals import ApprovalEvent, apply_approval_event
from tarsy_session.evolution.budgets import BudgetEvent, apply_budget_event, with_decision
from tarsy_session.evolution.calls import (
    CallEvent,
    SummaryEvent,
    apply_call_event,
    apply_outcome_learned,
    apply_summary_event,
)
from tarsy_session.evolution.lives import LaterEvent, apply_later_event, at_rest, begin_life, leave_rest
from tarsy_session.evolution.llm import LlmEvent, apply_llm_event
from tarsy_session.evolution.memories import ReflectionEvent, apply_memory_change, apply_reflection_event
from tarsy_session.evolution.reviews import apply_review_change
from tarsy_session.evolution.skills import apply_skills_recorded
from tarsy_session.evolution.stages import StageEvent, apply_stage_event
from tarsy_session.phases import CANCEL_ANSWERS
from tarsy_session.state import (
    INVESTIGATION,
    REFUSALS_KEPT,
    Alerts,
    Answered,
    AtRest,
    Cancelled,
    Ending,
    Investigating,
    NotStarted,
    SessionState,
    Unsupported,
)

type KnownState = Investigating | AtRest
type InvestigationEvent = (
    e.SessionSkillsRecorded
    | StageEvent
    | LlmEvent
    | CallEvent
    | ApprovalEvent
    | SummaryEvent
    | BudgetEvent
    | ReflectionEvent
    | Ending
    | LaterEvent
)
"""Events of open sessions only. Every other event has a case of its own in `evolve`."""


def evolve(state: SessionState, record: RecordedEvent) -> SessionState:  # noqa: C901 - one case a kind of events
    """An event that makes no sense in this state is from code that this code does not know: Unsupported."""
    decided = record.envelope.decided
    offset = state.last_decided_offset if decided is None else max(state.last_decided_offset, decided)
    event = record.event
    if isinstance(state, Unsupported):
        return _after_unreadable(replace(state, last_decided_offset=offset), record)
    if isinstance(state, NotStarted):
        return _opened(event, record, offset) if isinstance(event, e.SessionStarted) else Unsupported(offset)
    if event is None or isinstance(event, e.SessionStarted):
        return Unsupported(offset)
    # Events of one decision have one offset.
    known = state if offset == state.last_decided_offset else replace(state, last_decided_offset=offset)
    match event:
        case e.AlertRepeated():
            return apply_repetition(known, event, record)
        case e.AlertResolved():
            return apply_resolution(known, event, record)
        case e.RequestAccepted() | e.RequestRefused() | e.SessionReleased():
            return _answered(known, event, record)
        case e.ToolCallOutcomeLearned():
            return apply_outcome_learned(known, event) or Unsupported(offset)
        case e.SessionReopened() | e.PhaseRequested() | e.SessionDeleted():
            return leave_rest(known, event, record) or Unsupported(offset)
        case e.MemoryEdited() | e.MemoryErased():
            return apply_memory_change(known, event)
        case e.BudgetDecided() if isinstance(known, AtRest):
            return with_decision(known, event)
        case e.ReviewChanged():
            return Unsupported(offset) if known.ended is None else apply_review_change(known, event)
        case _:
            return _investigate(known, event, record) if isinstance(known, Investigating) else Unsupported(offset)


def _opened(event: e.SessionStarted, record: RecordedEvent, decided: int) -> SessionState:
    return Investigating(
        session_id=record.session_id,
        started=event,
        last_decided_offset=decided,
        life=begin_life(INVESTIGATION, event, record),
        alerts=Alerts(recent=(event.input_id,), members=frozenset(event.members)),
    )


def _after_unreadable(state: Unsupported, record: RecordedEvent) -> SessionState:
    """An operator can end what cannot be read; nothing else makes sense of it."""
    event = record.event
    if isinstance(event, e.SessionFailed) and event.request_id:
        return AtRest(
            session_id=record.session_id, started=None, last_decided_offset=state.last_decided_offset, ended=event
        )
    return state


def _answered(state: KnownState, event: Answered, record: RecordedEvent) -> SessionState:
    answers = {**state.answers, event.request_id: event}
    refused = [id for id, answer in answers.items() if isinstance(answer, e.RequestRefused)]
    forgotten = refused[:-REFUSALS_KEPT]
    for id in forgotten:
        del answers[id]
    answered = replace(state, answers=answers, refusals_forgotten=state.refusals_forgotten or bool(forgotten))
    if isinstance(answered, Investigating) and isinstance(event, e.RequestAccepted):
        return _granted(answered, event, record)
    return answered


def _granted(state: Investigating, event: e.RequestAccepted, record: RecordedEvent) -> Investigating:
    """A request of a kind that is not known changes nothing but its answer."""
    if event.request in CANCEL_ANSWERS:
        return replace(state, cancelled=Cancelled(event.author, record.appended_at, event.comment))
    return state


def _investigate(state: Investigating, event: InvestigationEvent, record: RecordedEvent) -> SessionState:
    match event:
        case e.SessionCompleted() | e.SessionFailed() | e.SessionCancelled() | e.SessionTimedOut():
            return at_rest(state, state.ended or event)
        case e.SessionSkillsRecorded():
            after = apply_skills_recorded(state, event)
        case e.BudgetWarned() | e.BudgetReached() | e.BudgetDecided():
            after = apply_budget_event(state, event, record)
        case e.MemoryLearned() | e.MemoryReinforced() | e.MemoryDeprecated():
            after = apply_reflection_event(state, event)
        case e.LlmCallRequested() | e.LlmCallCompleted() | e.LlmCallFailed() | e.ProviderFellBack():
            after = apply_llm_event(state, event, record)
        case e.ToolCallRequested() | e.ToolCallStarted() | e.ToolCallReleased() | e.ToolCallCompleted():
            after = apply_call_event(state, event, record)
        case e.StageApprovalsRequired() | e.ToolCallApprovalRequested() | e.ToolCallApprovalDecided():
            after = apply_approval_event(state, event, record)
        case e.SummaryRequested() | e.SummaryStarted() | e.SummaryReleased() | e.SummaryCompleted() | e.SummaryFailed():
            after = apply_summary_event(state, event, record)
        case (
            e.StageStarted()
            | e.StageToolsOffered()
            | e.StageCompleted()
            | e.ExecutionStarted()
            | e.ExecutionCompleted()
        ):
            after = apply_stage_event(state, event, record)
        case _:
            return apply_later_event(state, event, record) or Unsupported(state.last_decided_offset)
    return Unsupported(state.last_decided_offset) if after is None else after
