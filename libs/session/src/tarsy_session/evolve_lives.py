"""Evolution of the lives of a session: it rests, a question opens it again. Pure; None for what makes no sense here."""

from dataclasses import replace
from typing import assert_never

from tarsy_contracts import events as e
from tarsy_contracts.recorded import RecordedEvent
from tarsy_session.phases import PHASES
from tarsy_session.state import REPLY, AtRest, Ending, Investigating, Life, NotStarted, Question

type ChatEvent = e.QuestionAsked | e.ReplyCompleted


def at_rest(state: Investigating, ended: Ending) -> AtRest:
    return AtRest(
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
    )


def begin_life(phase: str, started: e.SessionStarted, record: RecordedEvent) -> Life:
    return Life(record.appended_at, phase, PHASES[phase].seconds(started.chain.limits))


def leave_rest(
    state: Investigating | AtRest, event: e.SessionReopened | e.SessionDeleted, record: RecordedEvent
) -> Investigating | NotStarted | None:
    if isinstance(state, Investigating):
        return None
    match event:
        case e.SessionReopened():
            return _reopen(state, record)
        case e.SessionDeleted():
            return NotStarted(state.last_decided_offset, deleted_by=event.request_id)
    assert_never(event)


def _reopen(state: AtRest, record: RecordedEvent) -> Investigating | None:
    """All that was found stays; the clocks begin anew."""
    if state.started is None:
        return None
    return Investigating(
        session_id=record.session_id,
        started=state.started,
        last_decided_offset=state.last_decided_offset,
        life=begin_life(REPLY, state.started, record),
        stages=state.stages,
        executions=state.executions,
        calls=state.calls,
        answers=state.answers,
        refusals_forgotten=state.refusals_forgotten,
        alerts=state.alerts,
        ended=state.ended,
        questions=state.questions,
    )


def apply_chat_event(state: Investigating, event: ChatEvent, record: RecordedEvent) -> Investigating | AtRest | None:
    if state.ended is None:
        return None
    match event:
        case e.QuestionAsked():
            if state.life.question is not None:
                return None
            question = Question(event, record.appended_at)
            life = replace(state.life, question=question)
            return replace(state, life=life, questions=(*state.questions, question))
        case e.ReplyCompleted():
            return at_rest(state, state.ended)
    assert_never(event)
