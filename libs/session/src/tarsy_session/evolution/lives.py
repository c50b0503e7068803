"""Evolution of the lives of a session: it rests, and is opened again. Pure; None for what makes no sense here."""

from dataclasses import replace
from typing import assert_never

from tarsy_contracts import events as e
from tarsy_contracts.events.recorded import RecordedEvent
from tarsy_contracts.token_rates import TokenRates
from tarsy_session.phases import PHASES, is_background
from tarsy_session.state import REPLY, AtRest, Ending, Investigating, Life, NotStarted, PhaseRun, Question

type LaterEvent = e.QuestionAsked | e.ReplyCompleted | e.PhaseCompleted
"""Events of a life after the end only."""
type Departure = e.SessionReopened | e.PhaseRequested | e.SessionDeleted


def at_rest(state: Investigating, ended: Ending) -> AtRest:
    return AtRest(
        session_id=state.session_id,
        started=state.started,
        last_decided_offset=state.last_decided_offset,
        ended=ended,
        stages=state.stages,
        executions=state.executions,
        calls=state.calls,
        answers=state.answers,
        refusals_forgotten=state.refusals_forgotten,
        alerts=state.alerts,
        questions=state.questions,
        phase_runs=state.phase_runs,
        skills=state.skills,
        sources=state.sources,
        budgets=state.budgets,
        review=state.review,
        memories=state.memories,
    )


def begin_life(phase: str, started: e.SessionStarted, record: RecordedEvent) -> Life:
    return Life(record.appended_at, phase, PHASES[phase].seconds(started.chain.limits))


def leave_rest(
    state: Investigating | AtRest, event: Departure, record: RecordedEvent
) -> Investigating | NotStarted | None:
    if isinstance(state, Investigating):
        return None
    match event:
        case e.SessionReopened():
            return _reopen(state, REPLY, record)
        case e.PhaseRequested():
            return _begin_phase(state, event, record)
        case e.SessionDeleted():
            return NotStarted(state.last_decided_offset, deleted_by=event.request_id)
    assert_never(event)


def _reopen(state: AtRest, phase: str, record: RecordedEvent) -> Investigating | None:
    """All that was found stays; the clocks begin anew."""
    if state.started is None:
        return None
    return Investigating(
        session_id=record.session_id,
        started=state.started,
        last_decided_offset=state.last_decided_offset,
        life=begin_life(phase, state.started, record),
        stages=state.stages,
        executions=state.executions,
        calls=state.calls,
        answers=state.answers,
        refusals_forgotten=state.refusals_forgotten,
        alerts=state.alerts,
        ended=state.ended,
        questions=state.questions,
        phase_runs=state.phase_runs,
        skills=state.skills,
        sources=state.sources,
        budgets=state.budgets.renew(),
        review=state.review,
        memories=state.memories,
    )


def _begin_phase(state: AtRest, event: e.PhaseRequested, record: RecordedEvent) -> Investigating | None:
    """None for a phase that this code does not know."""
    opened = _reopen(state, event.phase, record) if is_background(event.phase) else None
    if opened is None:
        return None
    life = replace(opened.life, requested=event)
    return replace(opened, life=life, phase_runs=(*state.phase_runs, PhaseRun(event, record.appended_at)))


def apply_later_event(state: Investigating, event: LaterEvent, record: RecordedEvent) -> Investigating | AtRest | None:
    if state.ended is None:
        return None
    match event:
        case e.QuestionAsked():
            return _ask(state, event, record)
        case e.ReplyCompleted():
            return at_rest(state, state.ended)
        case e.PhaseCompleted():
            return _end_phase(state, state.ended, event)
    assert_never(event)


def _ask(state: Investigating, event: e.QuestionAsked, record: RecordedEvent) -> Investigating | None:
    """Makes the life of a phase that gives way the reply's; its clocks begin anew."""
    if state.life.question is not None:
        return None
    question = Question(event, record.appended_at)
    asked = replace(state, questions=(*state.questions, question))
    if state.life.requested is None:
        return replace(asked, life=replace(state.life, question=question))
    life = replace(begin_life(REPLY, state.started, record), question=question)
    return replace(asked, life=life, token_rates=TokenRates())


def _end_phase(state: Investigating, ended: Ending, event: e.PhaseCompleted) -> AtRest | None:
    requested = state.life.requested
    if requested is None or requested.phase_id != event.phase_id:
        return None
    *earlier, run = state.phase_runs
    return at_rest(replace(state, phase_runs=(*earlier, replace(run, completed=event))), ended)
