"""Who is dead: judged by the broker's stamps alone, so that a slow reader never takes a live worker for a dead one."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
from bus_kafka import make_topic

from tarsy_bus import liveness as liveness_module
from tarsy_bus.connection import Bus
from tarsy_bus.liveness import DEAD_AFTER, Liveness, announce, watch
from tarsy_bus.publisher import Publisher
from tarsy_contracts.workers import WorkerAnnounced
from tarsy_testing import eventually

BEGIN = datetime(2026, 11, 22, 3, 0, tzinfo=UTC)
SECOND = timedelta(seconds=1)
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


def seen(*announcements: tuple[str, timedelta]) -> Liveness:
    """Of a reader that is called `me`. A name with a `-` at its end is leaving."""
    known = Liveness("me")
    for name, at in announcements:
        announcement = WorkerAnnounced(worker_id=name.rstrip("-"), service="tool-gateway", leaving=name.endswith("-"))
        known.saw(announcement, BEGIN + at)
    return known


def test_who_was_heard_lately_lives() -> None:
    known = seen(("other", 0 * SECOND), ("me", DEAD_AFTER))
    assert not known.is_dead("other", since=BEGIN)
    assert known.lives("other")


def test_who_was_not_heard_for_longer_is_dead() -> None:
    known = seen(("me", 0 * SECOND), ("other", 0 * SECOND), ("me", DEAD_AFTER + timedelta(milliseconds=1)))
    assert known.is_dead("other", since=BEGIN)
    assert not known.lives("other")


def test_a_reader_that_has_not_heard_itself_judges_nobody() -> None:
    known = seen(("other", 0 * SECOND), ("third", 1000 * SECOND))
    assert known.now is None
    assert not known.is_dead("other", since=BEGIN)


def test_the_announcements_of_others_do_not_move_the_time() -> None:
    """A reader that is behind knows how late it is by its own announcement only."""
    known = seen(("me", 0 * SECOND), ("other", 0 * SECOND), ("third", 100 * SECOND))
    assert known.now == BEGIN
    assert not known.is_dead("other", since=BEGIN)


def test_a_reader_that_has_just_begun_listens_first_before_it_takes_an_old_claim_for_a_dead_workers() -> None:
    known = seen(("me", 1000 * SECOND))
    assert not known.is_dead("stranger", since=BEGIN)


def test_a_worker_that_was_never_heard_is_judged_by_how_long_this_reader_has_listened() -> None:
    known = seen(("me", 0 * SECOND), ("me", DEAD_AFTER + SECOND))
    assert known.is_dead("stranger", since=BEGIN)
    assert not known.is_dead("stranger", since=BEGIN + SECOND)
    assert not known.lives("stranger")


def test_the_later_sign_of_life_counts() -> None:
    known = seen(("other", 0 * SECOND), ("me", DEAD_AFTER + SECOND))
    assert not known.is_dead("other", since=BEGIN + SECOND)
    known = seen(("other", SECOND), ("me", DEAD_AFTER + SECOND))
    assert not known.is_dead("other", since=BEGIN)


def test_who_said_good_bye_is_dead_as_soon_as_the_reader_has_seen_itself_later() -> None:
    known = seen(("me", 0 * SECOND), ("other-", SECOND))
    assert not known.is_dead("other", since=BEGIN)
    known = seen(("me", 0 * SECOND), ("other-", SECOND), ("me", 2 * SECOND))
    assert known.is_dead("other", since=BEGIN)
    assert not known.lives("other")


def test_what_a_leaving_worker_claimed_after_its_good_bye_is_waited_for_once_more() -> None:
    known = seen(("other-", 0 * SECOND), ("me", 2 * SECOND))
    assert not known.is_dead("other", since=BEGIN + 3 * SECOND)


def test_long_silent_workers_are_forgotten_and_stay_dead() -> None:
    known = seen(("other", 0 * SECOND), ("gone-", 0 * SECOND), ("me", 20 * DEAD_AFTER))
    assert known.lives("other") is False
    assert "other" in known._last
    begun = ("me", 0 * SECOND)
    known = seen(begun, ("other", 0 * SECOND), ("gone-", 0 * SECOND), ("me", 21 * DEAD_AFTER))
    assert known._last.keys() == {"me"}
    assert known._left == set()
    assert known.is_dead("other", since=BEGIN)
    assert known.is_dead("gone", since=BEGIN)


async def test_workers_hear_each_other_and_their_good_byes(bare: Bus, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(liveness_module, "ANNOUNCE_SECONDS", 0.05)
    await make_topic(bare, bare.topics.workers)
    known = Liveness("me", dead_after=timedelta(seconds=60))
    changed = asyncio.Event()

    async def heard(worker_id: str) -> bool:
        changed.clear()
        return known.lives(worker_id) and known.now is not None

    async def died() -> bool:
        return known.is_dead("other", since=LONG_AGO)

    def announcing(publisher: Publisher, worker_id: str) -> asyncio.Task[None]:
        return asyncio.create_task(announce(publisher, WorkerAnnounced(worker_id=worker_id, service="summarizer")))

    async with Publisher(bare, source="test", now=lambda: BEGIN).running() as publisher:
        await publisher.write(bare.topics.workers, key=None, value=b"rubbish", headers=[])
        tasks = [asyncio.create_task(watch(bare, known, changed.set)), announcing(publisher, "me")]
        other = announcing(publisher, "other")
        await eventually(lambda: heard("other"), "the other is heard")
        await publisher.write(bare.topics.workers, key=None, value=b"rubbish", headers=[])
        async with asyncio.timeout(20):
            await changed.wait()
        other.cancel()
        await eventually(died, "the other said good-bye")
        assert known.lives("me")
        for task in [*tasks, other]:
            task.cancel()
        await asyncio.wait([*tasks, other])
        assert all(task.cancelled() for task in tasks)


async def test_an_announcement_that_cannot_be_written_does_not_end_a_worker(
    bare: Bus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(liveness_module, "ANNOUNCE_SECONDS", 0.05)
    monkeypatch.setattr("tarsy_bus.publisher.WRITE_SECONDS", 0.1)
    known = Liveness("me")

    async def heard() -> bool:
        return known.lives("me")

    async with Publisher(bare, source="test", now=lambda: BEGIN).running() as publisher:
        announcing = asyncio.create_task(announce(publisher, WorkerAnnounced(worker_id="me", service="summarizer")))
        done, _ = await asyncio.wait([announcing], timeout=0.5)
        assert not done
        await make_topic(bare, bare.topics.workers)
        watching = asyncio.create_task(watch(bare, known, lambda: None))
        await eventually(heard, "the announcement, once there is a topic")
        for task in (announcing, watching):
            task.cancel()
        await asyncio.wait([announcing, watching])
