"""Operators about sessions that are set aside: given a state, when a verb, then events and an answer. Pure."""

from dataclasses import replace

import pytest

from tarsy_contracts import events as e
from tarsy_contracts.events.recorded import RecordedEvent, decode
from tarsy_contracts.messages import inputs as i
from tarsy_contracts.messages.control import RequestAnswered
from tarsy_contracts.wire.envelope import Envelope
from tarsy_orchestrator.partition.decision_batch import PendingInput, SessionTail, make_decisions
from tarsy_session import operator_requests
from tarsy_session.evolve import evolve
from tarsy_session.operator_requests import operator_replies
from tarsy_session.state import NOT_STARTED, AtRest, Investigating, SessionState, Unsupported
from tarsy_testing.story.story import BEGINNING, READ, SESSION, Story

RELEASE = i.SessionReleaseRequested(request_id="r", author="olga", request="retry")
FAIL = i.SessionFailRequested(request_id="f", author="olga", reason="no use")
BEYOND = Unsupported(7)


def decided(state: SessionState, request: i.OperatorRequest, *, aside: bool = True, offset: int = 99) -> list[e.Event]:
    """As a batch would append them, so that they are known to be acceptable."""
    given = replace(Story().given(request, offset=offset), aside=aside)
    tail = SessionTail(state, None if state == NOT_STARTED else "a" * 32, 0 if state == NOT_STARTED else 5)
    (decision,), left, undecided = make_decisions([PendingInput(SESSION, given)], lambda _: tail, source="test")
    assert (left, undecided, decision.unfit) == ([], [], "")
    return [decode(e.EVENTS, Envelope.from_headers(entry.headers), entry.value) for entry in decision.entries]


def after(state: SessionState, events: list[e.Event]) -> SessionState:
    for event in events:
        envelope = Envelope(id="x", type=event.type, version=1, source="t", subject=SESSION, time=BEGINNING, decided=99)
        state = evolve(state, RecordedEvent(envelope, event, partition=0, offset=1, appended_at=BEGINNING))
    return state


def answered(state: SessionState, request: i.OperatorRequest, *, aside: bool = True) -> tuple[bool, int]:
    given = replace(Story().given(request, offset=99), aside=aside)
    answer = operator_replies(state, request, given)[0]
    assert isinstance(answer, RequestAnswered)
    return answer.accepted, answer.code


def running() -> Investigating:
    state = Story().calling(READ).state
    assert isinstance(state, Investigating)
    return state


def test_a_session_that_is_set_aside_is_released_with_the_word_that_was_used() -> None:
    events = decided(running(), RELEASE)
    assert events == [e.SessionReleased(request_id="r", request="retry", author="olga")]
    state = after(running(), events)
    assert isinstance(state, Investigating)
    assert answered(state, RELEASE) == (True, 200)
    assert answered(state, RELEASE, aside=False) == (True, 200), "a repeat gets the answer on record"
    assert decided(state, RELEASE, offset=100) == []


def test_one_that_is_failed_closes_what_is_open_and_ends_with_the_reason() -> None:
    events = decided(running(), FAIL)
    assert [event.type for event in events] == [
        "session.released",
        "tool_call.completed",
        "execution.completed",
        "stage.completed",
        "session.failed",
    ]
    assert events[-1] == e.SessionFailed(error="ended by olga: no use", request_id="f")
    state = after(running(), events)
    assert isinstance(state, AtRest)
    assert answered(state, FAIL) == (True, 200)


def test_what_raises_while_it_is_closed_is_ended_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(state: SessionState, error: str) -> list[e.Event]:
        raise ZeroDivisionError

    monkeypatch.setattr(operator_requests, "fail", broken)
    assert [event.type for event in decided(running(), FAIL)] == ["session.released", "session.failed"]


def test_what_cannot_be_read_can_be_ended_and_nothing_else() -> None:
    assert decided(BEYOND, RELEASE) == []
    assert answered(BEYOND, RELEASE) == (False, 409)
    events = decided(BEYOND, FAIL)
    assert [event.type for event in events] == ["session.released", "session.failed"]
    state = after(BEYOND, events)
    assert isinstance(state, AtRest)
    assert state.started is None
    assert answered(state, FAIL) == (True, 200)


def test_an_end_that_no_operator_wrote_makes_nothing_readable() -> None:
    assert isinstance(after(BEYOND, [e.SessionFailed(error="x")]), Unsupported)


def test_a_session_at_rest_stays_as_it_ended() -> None:
    rested = AtRest(
        session_id=SESSION,
        started=running().started,
        last_decided_offset=7,
        ended=e.SessionCompleted(final_analysis="X"),
    )
    events = decided(rested, FAIL)
    assert [event.type for event in events] == ["session.released"]
    assert answered(after(rested, events), FAIL) == (True, 200)


def test_a_session_that_never_began_has_no_record() -> None:
    assert decided(NOT_STARTED, RELEASE) == decided(NOT_STARTED, FAIL) == []
    assert answered(NOT_STARTED, RELEASE) == answered(NOT_STARTED, FAIL) == (True, 200)
    assert answered(NOT_STARTED, RELEASE, aside=False) == (False, 404)


def test_a_session_that_is_not_set_aside_refuses_on_its_record() -> None:
    (refused,) = decided(running(), RELEASE, aside=False)
    assert isinstance(refused, e.RequestRefused)
    assert (refused.code, refused.request) == (409, "retry")
    assert answered(after(running(), [refused]), RELEASE, aside=False) == (False, 409)


def test_what_was_decided_is_not_decided_again() -> None:
    assert decided(running(), FAIL, offset=running().last_decided_offset) == []
