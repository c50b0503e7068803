"""Given what a partition knows, an alert meets its own session or the latest one of its deduplication key."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta

import pytest

from tarsy_bus.log.head_store import HeadStore, JoinableSession
from tarsy_bus.log.join_rule import CLOSED
from tarsy_contracts.events.heads import AlertMark
from tarsy_contracts.messages.inputs import (
    AlertReceived,
    AlertResolutionReported,
    CancelRequested,
    Deduplication,
    GroupMember,
    InboxInput,
)
from tarsy_contracts.wire.ids import deduplication_key
from tarsy_orchestrator.partition.alert_routing import route
from tarsy_orchestrator.partition.decision_batch import PendingInput
from tarsy_orchestrator.partition.ready_inputs import FOLDED_AT_ONCE, ReadyInputs
from tarsy_session.decision_input import DecisionInput, EarlierAlert
from tarsy_testing.story.story import ALERT, BEGINNING

KEY = deduplication_key("test", "a")
FIRST, SECOND, THIRD = (f"{number}" * 8 + "-1111-5111-8111-111111111111" for number in "123")
WINDOW = 60.0
RECEIVED = AlertReceived(alert=ALERT, deduplication=Deduplication(key=KEY, window_seconds=WINDOW))


@dataclass
class Known:
    """`alerted`: the inbox offset of the key's last alert, which came at the beginning."""

    existing: set[str] = field(default_factory=set)
    latest: JoinableSession | None = None
    investigated: bool = False
    aside: bool = False
    unwritten: bool = False

    def exists(self, session_id: str) -> bool:
        return session_id in self.existing

    def joinable(self, key: str) -> JoinableSession | None:
        return self.latest if key == KEY else None

    def is_investigated(self, session_id: str) -> bool:
        return self.investigated

    def __contains__(self, session_id: str) -> bool:
        return self.aside

    def has_unwritten(self, session_id: str) -> bool:
        return self.unwritten


def latest(
    session_id: str = FIRST, *, alerted: int = 5, deleted: bool = False, closed: bool = False
) -> JoinableSession:
    at = CLOSED if closed else int(BEGINNING.timestamp() * 1000)
    return JoinableSession(session_id, AlertMark(key=KEY, opened=3, alerted=alerted, alerted_ms=at), deleted)


def waiting(
    own: str = SECOND, *, offset: int = 9, after: float = 10.0, taken: InboxInput = RECEIVED, input_id: str = ""
) -> PendingInput:
    at = BEGINNING + timedelta(seconds=after)
    given = DecisionInput(taken, input_id or f"input {offset}", at, offset=offset, alert_id=own)
    return PendingInput(own, given)


def met(known: Known, one: PendingInput) -> str:
    return route(one, known, known).session_id


def test_within_the_window_it_joins_the_latest_session_of_its_key() -> None:
    known = Known({FIRST}, latest())
    assert met(known, waiting(after=WINDOW)) == FIRST
    assert met(known, waiting(after=WINDOW + 0.1)) == SECOND
    assert met(Known(), waiting()) == SECOND


def test_an_alert_with_a_stamp_from_long_before_the_last_one_is_investigated() -> None:
    """A broker whose clock is an hour behind leads the inbox now: its alerts must not be swallowed for that hour."""
    known = Known({FIRST}, latest())
    assert met(known, waiting(after=-3600.0)) == SECOND
    assert met(known, waiting(after=-1.0)) == FIRST


def test_while_it_is_investigated_every_alert_of_the_key_joins() -> None:
    assert met(Known({FIRST}, latest(), investigated=True), waiting(after=100 * WINDOW)) == FIRST


def test_an_episode_that_has_a_session_meets_it_also_weeks_later_and_whatever_came_since() -> None:
    known = Known({FIRST, SECOND}, latest(SECOND))
    assert met(known, waiting(FIRST, after=1e6)) == FIRST


def test_an_alert_without_a_key_meets_its_own_session() -> None:
    assert met(Known({FIRST}, latest()), waiting(taken=AlertReceived(alert=ALERT))) == SECOND


def test_an_input_that_is_read_again_meets_the_session_that_decided_it_or_a_later_one() -> None:
    """The owner of before decided it; the window would say otherwise now."""
    assert met(Known({FIRST}, latest(alerted=9)), waiting(offset=9, after=1e6)) == FIRST
    assert met(Known({THIRD}, latest(THIRD, alerted=12)), waiting(offset=9)) == THIRD
    assert met(Known(set(), latest(alerted=9, deleted=True)), waiting(offset=9)) == FIRST


def test_no_alert_joins_a_session_that_was_deleted_or_ended_before_it_began() -> None:
    assert met(Known(set(), latest(deleted=True)), waiting()) == SECOND
    assert met(Known({FIRST}, latest(closed=True)), waiting()) == SECOND


def test_of_a_session_that_is_set_aside_alerts_wait_until_its_inputs_are_kept_and_then_pass_it_by() -> None:
    assert met(Known({FIRST}, latest(), aside=True, unwritten=True), waiting()) == FIRST
    assert met(Known({FIRST}, latest(), aside=True), waiting()) == SECOND


def test_it_may_be_routed_any_number_of_times() -> None:
    joined = route(waiting(), Known({FIRST}, latest()), Known())
    assert joined.session_id == FIRST
    assert met(Known(set(), latest(deleted=True)), joined) == SECOND


def test_a_resolution_goes_to_its_own_session_or_else_to_the_latest_of_the_key() -> None:
    over = AlertResolutionReported(source="alertmanager", deduplication_key=KEY)
    assert met(Known({FIRST}, latest()), waiting(taken=over, after=1e6)) == FIRST
    assert met(Known({FIRST, SECOND}, latest()), waiting(taken=over)) == SECOND
    assert met(Known(set(), latest(deleted=True)), waiting(taken=over)) == SECOND


# Batches


def ready(*existing: str) -> ReadyInputs:
    return ReadyInputs(set(existing).__contains__)


def joining(offset: int, session_id: str = FIRST, *, input_id: str = "") -> PendingInput:
    one = waiting(f"own {offset}", offset=offset, input_id=input_id)
    return PendingInput(session_id, one.context)


def test_alerts_that_join_one_session_become_one_decision_that_knows_each_of_them() -> None:
    batch = ready(FIRST)
    batch.add(joining(1))
    assert batch.fold(joining(2))
    assert batch.fold(joining(3))
    [folded] = batch.inputs
    assert folded.context.repeats == (EarlierAlert("input 1", "own 1", 1), EarlierAlert("input 2", "own 2", 2))
    assert [one.context.offset for one in folded.unfolded] == [1, 2, 3]
    assert all(one.context.repeats == () and one.folded == () for one in folded.unfolded)


def test_what_comes_in_between_ends_a_fold() -> None:
    batch = ready(FIRST)
    batch.add(joining(1))
    over = waiting(FIRST, offset=2, taken=AlertResolutionReported(source="a"))
    assert not batch.fold(over)
    batch.add(over)
    assert not batch.fold(joining(3)), "an alert after its end may fire again"


def test_neither_the_first_alert_of_a_session_nor_a_group_is_folded() -> None:
    batch = ready()
    batch.add(waiting(SECOND, offset=1))
    assert not batch.fold(waiting(SECOND, offset=2))
    batch = ready(FIRST)
    batch.add(joining(1))
    group = AlertReceived(alert=ALERT, members=(GroupMember(id="a", text="a"),))
    assert not batch.fold(PendingInput(FIRST, waiting(taken=group).context))


def test_a_batch_that_starts_a_session_of_a_key_holds_no_other_alert_of_it() -> None:
    batch = ready(FIRST)
    batch.add(waiting(SECOND, offset=1))
    assert not batch.has_capacity(waiting(THIRD, offset=2))
    assert not batch.has_capacity(waiting(SECOND, offset=2))
    assert batch.has_capacity(waiting(THIRD, offset=2, taken=AlertReceived(alert=ALERT)))


def test_a_batch_in_which_alerts_of_a_key_join_a_session_starts_none_of_it() -> None:
    batch = ready(FIRST)
    batch.add(joining(1))
    assert batch.has_capacity(joining(2))
    assert not batch.has_capacity(waiting(SECOND, offset=2))


def test_an_alert_waits_for_what_may_end_the_session_that_it_meets() -> None:
    batch = ready(FIRST, SECOND)
    batch.add(PendingInput(FIRST, waiting(FIRST, taken=CancelRequested(request_id="r", author="ann")).context))
    assert not batch.has_capacity(joining(2))
    assert batch.has_capacity(joining(2, SECOND))


def test_a_batch_is_bounded_also_by_what_is_folded() -> None:
    batch = ready(FIRST)
    batch.add(joining(0))
    for offset in range(1, FOLDED_AT_ONCE + 1):
        assert not batch.is_full
        batch.fold(joining(offset))
    assert batch.is_full


# The table


@pytest.fixture
def store() -> Iterator[HeadStore]:
    made = HeadStore()
    yield made
    made.close()


def test_the_latest_session_of_a_key_is_the_one_that_was_opened_last(store: HeadStore) -> None:
    def mark(opened: int, alerted: int) -> AlertMark:
        return AlertMark(key=KEY, opened=opened, alerted=alerted, alerted_ms=alerted)

    store.note_alerts(SECOND, 1, mark(7, 7))
    store.note_alerts(FIRST, 9, mark(3, 8))
    assert store.joinable(KEY) == JoinableSession(SECOND, mark(7, 7)), "an old session that is repeated is no later one"
    store.note_alerts(SECOND, 3, mark(7, 11))
    store.note_alerts(SECOND, 2, mark(7, 9))
    assert store.joinable(KEY) == JoinableSession(SECOND, mark(7, 11)), "in whatever order heads are read"
    store.note_alerts(SECOND, 4, mark(7, 11), deleted=True)
    found = store.joinable(KEY)
    assert found is not None
    assert found.deleted
    assert store.joinable(deduplication_key("test", "b")) is None
