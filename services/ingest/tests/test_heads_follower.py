"""The heads topic, as ingest follows it: answers name the session that an alert joins, and its state."""

import asyncio
import inspect
from collections.abc import Callable

import pytest
from aiokafka.consumer.fetcher import Fetcher
from head_owner import head_owner, post, until_joined
from ingest_running import Records, StartIngest

from tarsy_bus.connection import Bus
from tarsy_ingest.heads_follower import GATHER_SECONDS, OFFSETS_AT_START, HeadsFollower, newest_positions
from tarsy_ingest.known_sessions import KnownSessions
from tarsy_service.supervision import Supervisor


async def test_answers_name_the_session_and_its_state_whoever_accepted_its_first_alert(
    bus: Bus, start_ingest: StartIngest, records: Records
) -> None:
    async with head_owner(bus, records) as owner, start_ingest() as ingest:
        first = await post(ingest)
        assert first.keys() == {"session_id", "status", "message"}
        session_id = first["session_id"]
        await owner.open()
        await until_joined(ingest, session_id, "in_progress")
        async with start_ingest() as another:
            await until_joined(another, session_id, "in_progress")
            await owner.end("failed")
            await until_joined(another, session_id, "failed")
            await until_joined(ingest, session_id, "failed")
    async with start_ingest() as restarted:
        await until_joined(restarted, session_id, "failed")


def test_only_the_newest_heads_are_read_at_the_start() -> None:
    firsts, ends = {0: 0, 1: 7, 2: 0}, {0: 10, 1: 5_000, 2: 0}
    assert newest_positions(firsts, ends) == {0: 0, 1: 5_000 - OFFSETS_AT_START, 2: 0}


def test_heads_are_taken_before_the_client_asks_for_more_without_their_partitions() -> None:
    assert inspect.signature(Fetcher).parameters["prefetch_backoff"].default > GATHER_SECONDS


async def test_a_follower_that_fails_begins_again_and_nothing_is_believed_meanwhile(
    bus: Bus, monkeypatch: pytest.MonkeyPatch
) -> None:
    known, begun = KnownSessions(), asyncio.Queue[bool]()

    async def fail(_: HeadsFollower, stepped: Callable[[], None]) -> None:
        begun.put_nowait(known.follows_heads)
        known.follows_heads = True
        raise ValueError("a mistake of ours")

    monkeypatch.setattr(HeadsFollower, "_follow", fail)
    running = asyncio.ensure_future(HeadsFollower(bus, known, Supervisor()).run())
    async with asyncio.timeout(90):
        assert [await begun.get() for _ in range(2)] == [False, False]
    running.cancel()
    await asyncio.wait([running])
    assert running.cancelled()
