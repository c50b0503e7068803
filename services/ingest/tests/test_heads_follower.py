"""The heads topic, as ingest follows it: answers name the session that an alert joins, and its state."""

import asyncio
import inspect
from collections.abc import Callable
from datetime import UTC, datetime
from uuid import uuid4

import pytest
from aiokafka import ConsumerRecord
from aiokafka.consumer.fetcher import Fetcher
from head_owner import head_owner, post, until_joined
from ingest_running import Records, StartIngest

from tarsy_bus.client.connection import Bus
from tarsy_bus.readers.partition_reader import Record
from tarsy_contracts.events.heads import AlertMark, SessionHead, head_key
from tarsy_contracts.wire.envelope import envelope_of
from tarsy_contracts.wire.topics import LOG_PARTITIONS, Topics
from tarsy_ingest.intake.heads_follower import GATHER_SECONDS, OFFSETS_AT_START, HeadsFollower, newest_positions
from tarsy_ingest.intake.known_sessions import KnownSessions
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


KEY = "7f0c5b0e-0000-4000-8000-000000000000"


def head_in(partition: int, session_id: str) -> Record:
    alerts = AlertMark(key=KEY, opened=1, alerted=1, alerted_ms=1)
    head = SessionHead(
        phase="open", number=1, offset=1, event_id="0" * 32, decided=1, spans=(), alerts=alerts, ended=None
    )
    envelope = envelope_of(head, id="h", source="o", subject=session_id, time=datetime.now(UTC))
    return ConsumerRecord(
        topic="heads", partition=partition, offset=0, timestamp=0, timestamp_type=1,
        key=head_key(session_id, 1).encode(), value=head.to_bytes(), checksum=None,
        serialized_key_size=0, serialized_value_size=0, headers=tuple(envelope.headers()),
    )  # fmt: skip


async def test_a_head_in_the_partition_of_another_session_shows_nothing() -> None:
    counted: list[str] = []
    bus = Bus("nowhere:1", Topics("t"), client="test", misplaced=counted.append)
    known, session_id = KnownSessions(), str(uuid4())
    follower = HeadsFollower(bus, known, Supervisor())
    own = bus.partition_of_session(session_id)
    await follower.take([head_in((own + 1) % LOG_PARTITIONS, session_id)])
    assert (known.find(KEY), counted) == (None, ["heads"])
    await follower.take([head_in(own, session_id)])
    assert (known.find(KEY), counted) == (session_id, ["heads"])


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

    monkeypatch.setattr(HeadsFollower, "_follow_heads", fail)
    running = asyncio.ensure_future(HeadsFollower(bus, known, Supervisor()).run())
    async with asyncio.timeout(90):
        assert [await begun.get() for _ in range(2)] == [False, False]
    running.cancel()
    await asyncio.wait([running])
    assert running.cancelled()
