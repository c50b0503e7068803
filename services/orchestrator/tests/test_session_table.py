"""The sessions of a partition in memory: what is kept of those that ended."""

from collections.abc import Iterator
from uuid import uuid4

import pytest

from tarsy_bus.head_store import HeadStore
from tarsy_bus.records import Delivery
from tarsy_contracts import events as e
from tarsy_contracts.envelope import Envelope, event_id
from tarsy_contracts.inputs import SessionAdmitted
from tarsy_contracts.recorded import RecordedEvent
from tarsy_orchestrator.partition.resting_states import RestingStates
from tarsy_orchestrator.partition.session_table import SessionTable, StateNotLoadedError
from tarsy_orchestrator.session.state import AtRest
from tarsy_story import Story

KEPT_BYTES = 200_000


@pytest.fixture
def resting() -> RestingStates:
    return RestingStates(KEPT_BYTES)


@pytest.fixture
def sessions(resting: RestingStates) -> Iterator[SessionTable]:
    made = SessionTable(HeadStore(), resting)
    yield made
    made.close()


def story(error: str) -> list[RecordedEvent]:
    """A session that began, and failed."""
    told = Story().asking()
    told.append(e.SessionFailed(error=error), told.given(SessionAdmitted()))
    return list(told.log)


def deliveries(log: list[RecordedEvent], begin: int) -> list[Delivery]:
    """As a session of its own."""
    session_id, previous, found = str(uuid4()), None, []
    for number, one in enumerate(log, 1):
        value = one.event.to_bytes() if one.event else b""
        time, type = one.envelope.time, one.envelope.type
        id = event_id(previous=previous, type=type, subject=session_id, sequence=number, time=time, value=value)
        envelope = Envelope(
            id=id, type=type, version=1, source="o", subject=session_id, time=time, sequence=number,
            previous=previous, decided=number,
        )  # fmt: skip
        found.append(Delivery(envelope, value, "log", 0, begin + number, one.appended_at))
        previous = id
    return found


def test_sessions_that_ended_are_kept_by_their_bytes(sessions: SessionTable, resting: RestingStates) -> None:
    """They were kept by count: 200 of a partition, however large."""
    found = []
    for number in range(30):
        found.append(ended(sessions, 100 * number))
        assert resting.size <= KEPT_BYTES
    assert isinstance(sessions.state(found[-1]), AtRest)
    with pytest.raises(StateNotLoadedError):
        sessions.state(found[0])
    assert sessions.head(found[0]) is not None
    assert sessions.open_sessions() == {}


def test_what_a_decision_holds_is_not_evicted(sessions: SessionTable) -> None:
    held = ended(sessions, 0)
    sessions.pin(held)
    for number in range(1, 30):
        ended(sessions, 100 * number)
    assert isinstance(sessions.state(held), AtRest)
    sessions.unpin([held])
    for number in range(30, 60):
        ended(sessions, 100 * number)
    with pytest.raises(StateNotLoadedError):
        sessions.state(held)


def ended(sessions: SessionTable, begin: int) -> str:
    """A session that was taken in from its start to its end."""
    for delivery in deliveries(story("x" * 20_000), begin):
        assert sessions.accept(delivery) is not None
    return delivery.envelope.subject
