"""Who lives, as somebody judges who announces himself nowhere."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

from tarsy_bus.liveness import DEAD_AFTER
from tarsy_contracts.workers import WorkerAnnounced
from tarsy_timeline.living import REMEMBERED, SURE_SECONDS, Living

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
def living(clock: Clock) -> Living:
    return Living(monotonic=clock)


def announced(worker_id: str, *, leaving: bool = False, name: str = "") -> WorkerAnnounced:
    return WorkerAnnounced(worker_id=worker_id, service="tool-gateway", leaving=leaving, name=name)


def test_who_was_heard_lately_lives_and_who_was_never_heard_does_not(living: Living) -> None:
    living.saw(announced("one"), BEGIN)
    living.saw(announced("other"), BEGIN + DEAD_AFTER)
    assert living.lives("one")
    assert not living.lives("third")


def test_who_was_silent_for_long_while_others_spoke_does_not_live(living: Living) -> None:
    living.saw(announced("one"), BEGIN)
    for seconds in range(10):
        living.saw(announced("other"), BEGIN + seconds * SECOND)
    assert not living.lives("one")
    assert living.lives("other")
    assert living.last_heard("one") == BEGIN


def test_after_an_outage_nobody_is_shown_as_dead_before_he_could_announce_himself(living: Living) -> None:
    living.saw(announced("one"), BEGIN)
    living.saw(announced("other"), BEGIN + 60 * SECOND)
    assert living.lives("one")
    for seconds in range(10):
        living.saw(announced("other"), BEGIN + (60 + seconds) * SECOND)
    assert not living.lives("one")
    assert living.lives("other")


def test_who_was_dead_before_the_outage_stays_so(living: Living) -> None:
    for seconds in range(10):
        living.saw(announced("one" if seconds == 0 else "other"), BEGIN + seconds * SECOND)
    living.saw(announced("other"), BEGIN + 60 * SECOND)
    assert not living.lives("one")


def test_of_a_process_that_was_started_again_only_the_new_one_lives(living: Living) -> None:
    living.saw(announced("one", name="gateway-1"), BEGIN)
    living.saw(announced("two", name="gateway-1"), BEGIN + SECOND)
    assert (living.lives("one"), living.lives("two")) == (False, True)


def test_two_processes_that_have_one_name_by_mistake_both_live(living: Living) -> None:
    for seconds, worker in enumerate(("one", "two", "one", "two", "one")):
        living.saw(announced(worker, name="gateway-1"), BEGIN + seconds * SECOND)
        assert living.lives(worker)
    assert living.lives("two")


def test_who_said_good_bye_does_not_live(living: Living) -> None:
    living.saw(announced("one"), BEGIN)
    living.saw(announced("one", leaving=True), BEGIN + SECOND)
    assert not living.lives("one")
    assert list(living.gateways()) == [(False, BEGIN + SECOND)]


def test_when_all_are_silent_our_own_clock_tells_that_they_are_dead(living: Living, clock: Clock) -> None:
    living.saw(announced("one"), BEGIN)
    clock.seconds += DEAD_AFTER.total_seconds() + 1
    living.nothing_waits()
    assert not living.lives("one")


def test_who_is_cut_off_from_kafka_takes_nobody_for_dead_but_is_not_sure_any_more(living: Living, clock: Clock) -> None:
    living.saw(announced("one"), BEGIN)
    living.nothing_waits()
    clock.seconds += SURE_SECONDS
    assert living.is_sure
    clock.seconds += 1
    assert not living.is_sure
    assert living.lives("one")


def test_who_has_heard_nothing_yet_is_not_sure(living: Living) -> None:
    living.saw(announced("one"), BEGIN)
    assert not living.is_sure


def test_an_announcement_that_comes_late_does_not_move_the_time_back(living: Living, clock: Clock) -> None:
    """After an outage many come at once: the last of them counts."""
    living.saw(announced("one"), BEGIN)
    clock.seconds += 100
    living.nothing_waits()
    assert not living.lives("one")
    living.saw(announced("one"), BEGIN + 100 * SECOND)
    living.nothing_waits()
    assert living.lives("one")
    assert living.now == BEGIN + 100 * SECOND


def test_of_a_worker_that_is_silent_for_an_hour_nothing_is_known(living: Living) -> None:
    living.saw(announced("one"), BEGIN)
    living.saw(announced("other"), BEGIN + REMEMBERED)
    assert living.last_heard("one") == BEGIN
    assert not living.has_forgotten("one", since=BEGIN - SECOND)
    living.saw(announced("other"), BEGIN + REMEMBERED + SECOND)
    assert living.last_heard("one") is None
    assert living.has_forgotten("one", since=BEGIN)
    assert not living.has_forgotten("never heard", since=BEGIN + 2 * SECOND), "it may announce itself yet"
