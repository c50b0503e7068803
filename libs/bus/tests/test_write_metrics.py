"""What is told of writes, on a real Kafka."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from tarsy_bus.client import publisher
from tarsy_bus.client.connection import Bus
from tarsy_bus.client.publisher import NotWrittenError, Publisher, TooLargeError
from tarsy_bus.log.writer import AppendUncertainError, LogWriter
from tarsy_bus.metrics import WriteOutcome
from tarsy_contracts.messages.control import CallCancelled
from tarsy_contracts.wire.topics import LIMIT_BYTES
from tarsy_testing.servers.bus_kafka import TINY, entries, make_topic

MESSAGE = CallCancelled(call_id="c")


class Told:
    def __init__(self) -> None:
        self.writes: list[tuple[str, WriteOutcome, int]] = []

    def __call__(self, topic: str, outcome: WriteOutcome, records: int, seconds: float) -> None:
        assert 0 <= seconds < 60
        self.writes.append((topic, outcome, records))


@pytest.fixture
def told() -> Told:
    return Told()


async def test_each_publication_is_told_with_its_topic_and_what_became_of_it(bare: Bus, told: Told) -> None:
    await make_topic(bare, bare.topics.control)
    await make_topic(bare, bare.topics.dead_letters, 1, TINY)
    topics = bare.topics
    async with Publisher(replace(bare, wrote=told), source="s", now=lambda: datetime.now(UTC)).running() as writer:
        await writer.publish(topics.control, MESSAGE, key="k", id="1", subject="s")
        with pytest.raises(TooLargeError):
            await writer.write(topics.control, key=b"k", value=b"x" * LIMIT_BYTES, headers=[])
        with pytest.raises(NotWrittenError):
            await writer.write(topics.dead_letters, key=b"k", value=b"x" * 2000, headers=[])
    assert told.writes == [("control", "ok", 1), ("control", "too_large", 1), ("dead-letters", "not_written", 1)]


async def test_a_batch_of_the_log_is_told_with_the_number_of_its_events(bare: Bus, told: Told) -> None:
    await make_topic(bare, bare.topics.sessions, 1)
    async with LogWriter(replace(bare, wrote=told)).running() as writer:
        await writer.append(0, entries(1, 2, 3))
    assert told.writes == [("sessions", "ok", 3)]


async def test_a_batch_of_which_nobody_knows_is_told_as_uncertain(bare: Bus, told: Told) -> None:
    await make_topic(bare, bare.topics.sessions, 1, TINY)
    async with LogWriter(replace(bare, wrote=told)).running() as writer:
        with pytest.raises(AppendUncertainError):
            await writer.append(0, entries("x" * 2000))
    assert told.writes == [("sessions", "uncertain", 1)]


async def test_a_write_that_was_broken_off_is_told_by_nobody(
    bare: Bus, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publisher, "WRITE_SECONDS", 30.0)
    async with Publisher(replace(bare, wrote=told), source="s", now=lambda: datetime.now(UTC)).running() as writer:
        writing = asyncio.create_task(writer.write(f"{bare.topics.prefix}.nowhere", key=b"k", value=b"v", headers=[]))
        await asyncio.sleep(0)
        writing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await writing
    assert told.writes == []
