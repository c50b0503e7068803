"""Who lives, as somebody judges who announces himself nowhere."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

from tarsy_bus.liveness.failure_detection import DEAD_AFTER
from tarsy_contracts.messages.workers import WorkerAnnounced
from tarsy_timeline.system.worker_liveness import REMEMBERED, SURE_SECONDS, WorkerLiveness

BEGIN = datetime(2026, 11, 22, 3, 0, tzinfo=UTC)
SECOND = timedelta(seconds=1)


@dataclass
class Clock:
    seconds: float = 1_000.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def liveness(clock: Clock) -> WorkerLiveness:
    return WorkerLiveness(monotonic=clock)


def announced(worker_id: str, *, leaving: bool = False, name: str = "") -> WorkerAnnounced:
    return WorkerAnnounced(worker_id=worker_id, service="tool-gateway", leaving=leaving, name=name)


def test_who_was_heard_lately_lives_and_who_was_never_heard_does_not(liveness: WorkerLiveness) -> None:
    liveness.note_heartbeat(announced("one"), BEGIN)
    liveness.note_heartbeat(announced("other"), BEGIN + DEAD_AFTER)
    assert liveness.lives("one")
    assert not liveness.lives("third")


def test_who_was_silent_for_long_while_others_spoke_does_not_live(liveness: WorkerLiveness) -> None:
    liveness.note_heartbeat(announced("one"), BEGIN)
    for seconds in range(10):
        liveness.note_heartbeat(announced("other"), BEGIN + seconds * SECOND)
    assert not liveness.lives("one")
    assert liveness.lives("other")
    assert liveness.find_last_heard("one") == BEGIN


def test_after_an_outage_nobody_is_shown_as_dead_before_he_could_announce_himself(liveness: WorkerLiveness) -> None:
    liveness.note_heartbeat(announced("one"), BEGIN)
    liveness.note_heartbeat(announced("other"), BEGIN + 60 * SECOND)
    assert liveness.lives("one")
    for seconds in range(10):
        liveness.note_heartbeat(announced("other"), BEGIN + (60 + seconds) * SECOND)
    assert not liveness.lives("one")
    assert liveness.lives("other")


def test_who_was_dead_before_the_outage_stays_so(liveness: WorkerLiveness) -> None:
    for seconds in range(10):
        liveness.note_heartbeat(announced("one" if seconds == 0 else "other"), BEGIN + seconds * SECOND)
    liveness.note_heartbeat(announced("other"), BEGIN + 60 * SECOND)
    assert not liveness.lives("one")


def test_of_a_process_that_was_started_again_only_the_new_one_lives(liveness: WorkerLiveness) -> None:
    liveness.note_heartbeat(announced("one", name="gateway-1"), BEGIN)
    liveness.note_heartbeat(announced("two", name="gateway-1"), BEGIN + SECOND)
    assert (liveness.lives("one"), liveness.lives("two")) == (False, True)


def test_two_processes_that_have_one_name_by_mistake_both_live(liveness: WorkerLiveness) -> None:
    for seconds, worker in enumerate(("one", "two", "one", "two", "one")):
        liveness.note_heartbeat(announced(worker, name="gateway-1"), BEGIN + seconds * SECOND)
        assert liveness.lives(worker)
    assert liveness.lives("two")


def test_who_said_good_bye_does_not_live(liveness: WorkerLiveness) -> None:
    liveness.note_heartbeat(announced("one"), BEGIN)
    liveness.note_heartbeat(announced("one", leaving=True), BEGIN + SECOND)
    assert not liveness.lives("one")
    assert list(liveness.gateways()) == [(False, BEGIN + SECOND)]


def test_when_all_are_silent_our_own_clock_tells_that_they_are_dead(liveness: WorkerLiveness, clock: Clock) -> None:
    liveness.note_heartbeat(announced("one"), BEGIN)
    clock.seconds += DEAD_AFTER.total_seconds() + 1
    liveness.nothing_waits()
    assert not liveness.lives("one")


def test_who_is_cut_off_from_kafka_takes_nobody_for_dead_but_is_not_sure_any_more(
    liveness: WorkerLiveness, clock: Clock
) -> None:
    liveness.note_heartbeat(announced("one"), BEGIN)
    liveness.nothing_waits()
    clock.seconds += SURE_SECONDS
    assert liveness.is_sure
    clock.seconds += 1
    assert not liveness.is_sure
    assert liveness.lives("one")


def test_who_has_heard_nothing_yet_is_not_sure(liveness: WorkerLiveness) -> None:
    liveness.note_heartbeat(announced("one"), BEGIN)
    assert not liveness.is_sure


def test_an_announcement_that_comes_late_does_not_move_the_time_back(liveness: WorkerLiveness, clock: Clock) -> None:
    """After an outage many come at once: the last of them counts."""
    liveness.note_heartbeat(announced("one"), BEGIN)
    clock.seconds += 100
    liveness.nothing_waits()
    assert not liveness.lives("one")
    liveness.note_heartbeat(announced("one"), BEGIN + 100 * SECOND)
    liveness.nothing_waits()
    assert liveness.lives("one")
    assert liveness.now == BEGIN + 100 * SECOND


def test_of_a_worker_that_is_silent_for_an_hour_nothing_is_known(liveness: WorkerLiveness) -> None:
    liveness.note_heartbeat(announced("one"), BEGIN)
    liveness.note_heartbeat(announced("other"), BEGIN + REMEMBERED)
    assert liveness.find_last_heard("one") == BEGIN
    assert not liveness.has_forgotten("one", since=BEGIN - SECOND)
    liveness.note_heartbeat(announced("other"), BEGIN + REMEMBERED + SECOND)
    assert liveness.find_last_heard("one") is None
    assert liveness.has_forgotten("one", since=BEGIN)
    assert not liveness.has_forgotten("never heard", since=BEGIN + 2 * SECOND), "it may announce itself yet"
