"""The sessions of a partition in memory: what is kept of those that ended."""

from collections.abc import Iterator
from dataclasses import dataclass
from uuid import uuid4

import pytest

from tarsy_bus.log.head_store import HeadStore
from tarsy_bus.readers.records import Delivery
from tarsy_contracts import events as e
from tarsy_contracts.events.recorded import RecordedEvent
from tarsy_contracts.messages.inputs import SessionAdmitted
from tarsy_contracts.wire.envelope import Envelope, event_id
from tarsy_orchestrator.partition.memory.resting_states import RestingStates
from tarsy_orchestrator.partition.memory.session_table import AcceptedRecord, SessionTable, StateNotLoadedError
from tarsy_session.state import AtRest
from tarsy_testing.story.story import Story

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


@dataclass
class TakeOver:
    """A session that was asked a question, and whoever takes over in the middle of the reply."""

    log: list[Delivery]
    opener: int
    before: SessionTable
    after: SessionTable

    @property
    def session_id(self) -> str:
        return self.log[0].envelope.subject

    def read(self) -> list[AcceptedRecord | None]:
        """From the opener on, as heads say; all but the end."""
        return [self.after.accept(one) for one in self.log[self.opener : -1]]


@pytest.fixture(params=["rest", "open"])
def take_over(request: pytest.FixtureRequest) -> Iterator[TakeOver]:
    """The head may lag: then it says that the session rests."""
    told = Story().ended().questioned()
    told.when(told.answer("since 03:00"))
    log = deliveries(list(told.log), 0)
    opener = next(at for at, one in enumerate(log) if one.envelope.type == "session.reopened")
    head, before = None, SessionTable(HeadStore(), RestingStates(KEPT_BYTES))
    for one in log[:-1]:
        before.accept(one)
        if one is log[opener - (request.param == "rest")]:
            head = before.head(one.envelope.subject)
    heads = HeadStore()
    assert head is not None
    heads[log[0].envelope.subject] = head
    after = SessionTable(heads, RestingStates(KEPT_BYTES))
    yield TakeOver(log, opener, before, after)
    before.close()
    after.close()


def test_a_session_that_was_opened_again_is_open_and_not_loaded_for_who_takes_over(take_over: TakeOver) -> None:
    """Its state was Unsupported then: it was set aside as if nobody could read it."""
    assert [one.state if one else one for one in take_over.read()] == [None] * (
        len(take_over.log) - take_over.opener - 1
    )
    table, log = take_over.after, take_over.log
    assert table.list_unloaded() == [take_over.session_id]
    assert table.list_unopened() == []
    with pytest.raises(StateNotLoadedError):
        table.state(take_over.session_id)
    place = table.find_load_position(take_over.session_id)
    assert place is not None
    assert place.last.number == len(log) - 1
    first, last = log[0].offset, log[-2].offset
    assert [(span.first, span.last) for span in place.spans] == [
        (first, log[take_over.opener - 1].offset),
        (log[take_over.opener].offset, last),
    ]
    assert table.decided == len(log) - 1


def test_its_end_brings_it_to_rest_unloaded(take_over: TakeOver) -> None:
    take_over.read()
    ended = take_over.after.accept(take_over.log[-1])
    assert ended is not None
    assert ended.head is not None
    assert ended.head.phase == "rest"
    assert take_over.after.list_unloaded() == []


def test_what_was_loaded_goes_on_with_the_next_event(take_over: TakeOver) -> None:
    take_over.read()
    state = take_over.before.state(take_over.session_id)
    take_over.after.load(take_over.session_id, state, 1)
    assert take_over.after.open_sessions() == {take_over.session_id: state}
    ended = take_over.after.accept(take_over.log[-1])
    assert ended is not None
    assert isinstance(ended.state, AtRest)
