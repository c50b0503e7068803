"""Who is dead: judged by our own announcements that came back, so that neither a slow reader nor an outage takes a live
worker for a dead one."""

import asyncio
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

import pytest

from tarsy_bus.client.connection import Bus
from tarsy_bus.client.publisher import Publisher
from tarsy_bus.liveness import failure_detection as liveness_module
from tarsy_bus.liveness.failure_detection import DEAD_AFTER, Liveness, announce, watch
from tarsy_bus.liveness.heartbeat_gaps import BEFORE_EVERYTHING
from tarsy_bus.liveness.pulse import Pulse
from tarsy_contracts.messages.workers import WorkerAnnounced
from tarsy_contracts.timing import GAP_SECONDS, GRACE_SECONDS, REPLACED_AFTER
from tarsy_testing.real_servers import eventually
from tarsy_testing.servers.bus_kafka import make_topic

BEGIN = datetime(2026, 11, 22, 3, 0, tzinfo=UTC)
SECOND = timedelta(seconds=1)
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
N = round(DEAD_AFTER.total_seconds())

type Announced = tuple[float, str]
"""When, in seconds, and who. A `-` at the end says good-bye; what follows a `/` is the name of the process."""


def at(seconds: float) -> datetime:
    return BEGIN + seconds * SECOND


def hear(known: Liveness, announcements: Iterable[Announced]) -> Liveness:
    for seconds, who in sorted(announcements, key=lambda one: one[0]):
        known.note_heartbeat(announced(who), at(seconds))
    return known


def announced(who: str) -> WorkerAnnounced:
    worker_id, _, name = who.rstrip("-").partition("/")
    service = "orchestrator" if worker_id in ("me", "colleague") else "tool-gateway"
    return WorkerAnnounced(worker_id=worker_id, service=service, leaving=who.endswith("-"), name=name)


def every_second(who: str, first: float, last: float) -> list[Announced]:
    return [(first + step, who) for step in range(int(last - first) + 1)]


def seen(*announcements: Announced) -> Liveness:
    return hear(Liveness("me"), announcements)


def test_how_far_our_clock_is_behind_the_brokers_is_told_by_our_own_announcements() -> None:
    known = Liveness("me", clock=lambda: at(-3600))
    known.note_heartbeat(announced("other"), at(0))
    assert known.clock_behind == timedelta(0)
    known.note_heartbeat(announced("me"), at(1))
    assert known.clock_behind == timedelta(seconds=3601)


def test_who_was_heard_lately_lives() -> None:
    known = seen((0, "me"), (0.5, "other"), *every_second("me", 1, N - 1))
    assert not known.is_dead("other", since=BEGIN)
    assert known.lives("other")


def test_who_was_not_heard_while_so_many_of_ours_came_back_is_dead() -> None:
    known = seen((0, "me"), (0.5, "other"), *every_second("me", 1, N))
    assert known.is_dead("other", since=BEGIN)
    assert not known.lives("other")


def test_a_reader_that_has_not_heard_itself_judges_nobody() -> None:
    known = seen((0, "other"), *every_second("third", 1, 1000))
    assert known.now is None
    assert not known.is_dead("other", since=BEGIN)


def test_the_announcements_of_others_do_not_count() -> None:
    """A reader that is behind knows how late it is by its own announcement only."""
    known = seen((0, "me"), (0.1, "other"), *every_second("third", 1, 100))
    assert known.now == BEGIN
    assert not known.is_dead("other", since=BEGIN)


def test_a_worker_that_was_never_heard_is_judged_by_how_long_this_reader_has_listened() -> None:
    known = seen(*every_second("me", 1000, 1000 + N - 2))
    assert not known.is_dead("stranger", since=BEGIN)
    known = seen(*every_second("me", 0, N - 1))
    assert known.is_dead("stranger", since=at(-1))
    assert not known.is_dead("stranger", since=at(1))
    assert not known.lives("stranger")


def test_the_later_sign_of_life_counts() -> None:
    known = seen((0, "me"), (0.5, "other"), *every_second("me", 1, N))
    assert not known.is_dead("other", since=at(1))
    known = seen((0, "me"), (1.5, "other"), *every_second("me", 1, N))
    assert not known.is_dead("other", since=BEGIN)


def test_announcements_that_come_in_one_burst_count_once() -> None:
    """What waited in a producer arrives together."""
    known = seen((0, "me"), (0.5, "other"), *((1 + step / 100, "me") for step in range(50)))
    assert not known.is_dead("other", since=BEGIN)


def test_who_said_good_bye_is_dead_as_soon_as_the_reader_has_seen_itself_later() -> None:
    known = seen((0, "me"), (1, "other-"))
    assert not known.is_dead("other", since=BEGIN)
    known = seen((0, "me"), (1, "other-"), (2, "me"))
    assert known.is_dead("other", since=BEGIN)
    assert not known.lives("other")


def test_what_a_leaving_worker_claimed_after_its_good_bye_is_waited_for_once_more() -> None:
    known = seen((0, "other-"), (2, "me"))
    assert not known.is_dead("other", since=at(3))


def test_long_silent_workers_are_forgotten_and_stay_dead() -> None:
    known = seen((0, "me"), (0.1, "other"), (0.2, "gone-"), *every_second("me", 1, 20 * N))
    assert known.lives("other") is False
    assert "other" in known._heard
    hear(known, every_second("me", 20 * N + 1, 20 * N + 3))
    assert known._heard.keys() == {"me"}
    assert known.is_dead("other", since=BEGIN)
    assert known.is_dead("gone", since=BEGIN)


# Outages


OUTAGES = [GAP_SECONDS + 0.1, 8.5, 9.9, 30.0, 60.0, 3600.0]


@pytest.mark.parametrize("first", ["ours", "theirs"])
@pytest.mark.parametrize("seconds", OUTAGES)
def test_an_outage_of_kafka_kills_nobody(seconds: float, first: str) -> None:
    """However long it was, and whoever comes back first, by up to 7 seconds (a client's next try)."""
    before = [*every_second("me", 0, 20), *every_second("other", 0.1, 20)]
    for late in (0.03, 0.57, 4.0, 7.0):
        known = seen(*before)
        ours, theirs = (0.0, late) if first == "ours" else (late, 0.0)
        back = 20 + seconds
        after = [*every_second("me", back + ours, back + ours + 30), *every_second("other", back + theirs, back + 40)]
        for announcement in sorted(after, key=lambda one: one[0]):
            hear(known, [announcement])
            assert not known.is_dead("other", since=at(5)), announcement
            assert known.lives("other")


@pytest.mark.parametrize("seconds", OUTAGES)
def test_a_worker_that_died_during_the_outage_is_noticed_so_many_announcements_after_it(seconds: float) -> None:
    known = seen(*every_second("me", 0, 20), *every_second("other", 0.1, 20))
    back = 20 + seconds
    dead = []
    for number in range(N + 1):
        hear(known, [(back + number, "me")])
        dead.append(known.is_dead("other", since=at(5)))
    assert dead == [False] * N + [True]


def test_what_waited_in_our_producer_during_the_outage_does_not_shorten_the_grace() -> None:
    known = seen(*every_second("me", 0, 20), *every_second("other", 0.1, 20))
    hear(known, ((50 + step / 1000, "me") for step in range(20)))
    assert not known.is_dead("other", since=at(5))


def test_a_reader_that_was_frozen_and_gets_everything_at_once_takes_nobody_for_dead() -> None:
    known = seen(*every_second("me", 0, 20), *every_second("other", 0.1, 20))
    hear(known, every_second("other", 21.1, 60))
    hear(known, [(60.5, "me")])
    assert not known.is_dead("other", since=at(5))
    hear(known, [*every_second("me", 61.5, 80), *every_second("other", 61.1, 80)])
    assert not known.is_dead("other", since=at(5))


def test_a_worker_that_was_heard_after_the_outage_and_then_fell_silent_is_dead_as_ever() -> None:
    known = Liveness("me", dead_after=timedelta(seconds=4))
    hear(known, [*every_second("me", 0, 20), *every_second("other", 0.1, 20)])
    hear(known, [(50, "me"), (50.1, "other"), *every_second("me", 51, 53)])
    assert not known.is_dead("other", since=at(5))
    assert hear(known, [(54, "me")]).is_dead("other", since=at(5))


def test_with_a_short_limit_the_grace_after_an_outage_is_as_long_as_the_pauses_of_workers() -> None:
    known = Liveness("me", dead_after=timedelta(seconds=4))
    hear(known, [*every_second("me", 0, 20), *every_second("other", 0.1, 20), *every_second("me", 50, 57)])
    assert not known.is_dead("other", since=at(5))
    assert hear(known, [(50 + GRACE_SECONDS, "me")]).is_dead("other", since=at(5))


def test_time_is_heard_as_far_as_our_own_announcements_come_back_and_begins_again_after_an_outage() -> None:
    known = hear(Liveness("me"), every_second("me", 0, 10))
    began = known.heartbeats
    hear(known, every_second("other", 11, 30))
    assert known.measure_seconds_heard(since=began) == 0
    hear(known, every_second("me", 11, 15))
    assert known.measure_seconds_heard(since=began) == 5
    hear(known, every_second("me", 60, 62))
    assert known.measure_seconds_heard(since=began) == 2


def test_outages_are_known_from_before_our_start_as_far_as_announcements_are_kept() -> None:
    known = Liveness("me")
    for seconds, who in [*every_second("colleague", 0, 10), *every_second("gateway", 11, 72)]:
        known.remember(announced(who), at(seconds))
    hear(known, every_second("me", 73, 75))
    assert known.outages == ((BEFORE_EVERYTHING, at(0)), (at(10), at(73)))
    assert not known.lives("gateway")


def test_as_long_as_another_orchestrator_announces_itself_only_ours_is_a_gap() -> None:
    known = seen(*every_second("me", 0, 10), *every_second("colleague", 0.5, 60), *every_second("me", 40, 60))
    assert known.outages == ((BEFORE_EVERYTHING, at(0)), (at(10), at(40)))
    known = seen(*every_second("me", 0, 10), *every_second("colleague", 30, 60), *every_second("me", 40, 60))
    assert known.outages == ((BEFORE_EVERYTHING, at(0)), (at(10), at(40)))


# One name, another process


def test_who_falls_silent_after_the_brokers_clock_was_put_back_is_dead_as_ever() -> None:
    """It took an hour: none of our own announcements counted until its clock had come as far again."""
    known = seen((0, "me"), (0.5, "other"))
    claimed = at(0.7)
    known = in_order(known, [(seconds - 3600, who) for seconds, who in [(1, "me"), (1.5, "other")]])
    known = in_order(known, every_second("me", 2 - 3600, N - 3600))
    assert not known.is_dead("other", since=claimed)
    assert known.measure_seconds_heard(since=0) == N - 1
    known = in_order(known, [(N + 1 - 3600, "me")])
    assert known.is_dead("other", since=claimed)


def test_a_clock_that_was_put_back_kills_nobody_and_is_no_outage() -> None:
    known = in_order(seen((0, "me"), (0.5, "other")), [(1 - 3600, "me")])
    assert not known.is_dead("other", since=BEGIN)
    assert known.lives("other")
    assert [begin for begin, _ in known.outages] == [BEFORE_EVERYTHING]


def in_order(known: Liveness, announcements: Iterable[Announced]) -> Liveness:
    """As they lie in the topic, whatever their stamps."""
    for seconds, who in announcements:
        known.note_heartbeat(announced(who), at(seconds))
    return known


def test_a_new_process_of_the_same_name_replaces_the_one_before_it() -> None:
    known = seen(*every_second("me", 0, 10), *every_second("old/gw-1", 0.1, 10.2), (11, "new/gw-1"))
    hear(known, every_second("me", 11.5, 11.5 + REPLACED_AFTER - 2))
    assert not known.is_dead("old", since=at(5))
    hear(known, [(11.5 + REPLACED_AFTER - 1, "me")])
    assert known.is_dead("old", since=at(5))
    assert known.lives("new")


def test_also_when_all_were_started_again_and_the_old_one_is_known_from_before_only() -> None:
    known = Liveness("me")
    for seconds, who in [*every_second("colleague", 0, 10), *every_second("old/gw-1", 0.1, 10)]:
        known.remember(announced(who), at(seconds))
    hear(known, [(73, "me"), (73.5, "new/gw-1"), *every_second("me", 74, 74 + REPLACED_AFTER - 1)])
    assert known.is_dead("old", since=at(5))


def test_two_processes_with_one_name_by_mistake_both_live() -> None:
    mine, first = every_second("me", 0, 60), every_second("first/gw", 0.3, 60)
    known = Liveness("me")
    for announcement in sorted([*mine, *first, *every_second("second/gw", 20.6, 60)], key=lambda one: one[0]):
        hear(known, [announcement])
        assert not known.is_dead("first", since=at(0))
        assert not known.is_dead("second", since=at(20))


def test_names_of_other_services_and_processes_without_one_replace_nobody() -> None:
    known = seen((0, "me/gw-1"), (0.1, "old/gw-1"), (0.2, "nameless"), (1, "me/gw-1"), (1.1, "also-nameless"))
    hear(known, every_second("me/gw-1", 2, REPLACED_AFTER + 1))
    assert not known.is_dead("old", since=BEGIN)
    assert not known.is_dead("nameless", since=BEGIN)


# On the real Kafka


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
        async with asyncio.timeout(90):
            await changed.wait()
        other.cancel()
        await eventually(died, "the other said good-bye")
        assert known.lives("me")
        for task in [*tasks, other]:
            task.cancel()
        await asyncio.wait([*tasks, other])
        assert all(task.cancelled() for task in tasks)


async def test_a_new_reader_learns_from_what_is_kept_and_takes_nobody_for_living_because_of_it(bare: Bus) -> None:
    await make_topic(bare, bare.topics.workers)
    known, pulse = Liveness("me"), Pulse(60.0)
    async with Publisher(bare, source="test", now=lambda: BEGIN).running() as publisher:
        before = []
        for who in ("colleague", "gateway"):
            topic, told = bare.topics.workers, announced(who)
            before.append(await publisher.publish(topic, told, key=who, id=who, subject=who))
        tasks = [
            asyncio.create_task(watch(bare, known, lambda: None)),
            asyncio.create_task(announce(publisher, announced("me"), pulse)),
        ]

        async def came_back() -> bool:
            return known.now is not None and pulse.is_fresh

        await eventually(came_back, "our own announcement")
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
    assert int(known.outages[0][1].timestamp() * 1000) == before[0].timestamp
    assert not known.lives("gateway")
    assert pulse.broker_time is not None
    assert pulse.broker_time.timestamp() * 1000 >= before[0].timestamp


@pytest.mark.timing
async def test_an_announcement_that_cannot_be_written_does_not_end_a_worker(
    bare: Bus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(liveness_module, "ANNOUNCE_SECONDS", 0.05)
    known = Liveness("me")

    async def heard() -> bool:
        return known.lives("me")

    async with Publisher(bare, source="test", now=lambda: BEGIN).running() as publisher:
        with monkeypatch.context() as hurried:
            hurried.setattr("tarsy_bus.client.publisher.WRITE_SECONDS", 0.1)
            announcing = asyncio.create_task(announce(publisher, WorkerAnnounced(worker_id="me", service="summarizer")))
            done, _ = await asyncio.wait([announcing], timeout=0.5)
            assert not done
        await make_topic(bare, bare.topics.workers)
        watching = asyncio.create_task(watch(bare, known, lambda: None))
        await eventually(heard, "the announcement, once there is a topic")
        for task in (announcing, watching):
            task.cancel()
        await asyncio.wait([announcing, watching])
