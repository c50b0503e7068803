"""Records of a real Kafka that is killed while they are read, and started again."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import aclosing, nullcontext
from functools import partial
from pathlib import Path

import pytest

from tarsy_bus.client.connection import Bus
from tarsy_bus.log.writer import LogEntry, LogWriter
from tarsy_bus.readers.at_offsets import records_at
from tarsy_bus.readers.outage_retry import KafkaUnreachableError, TimeLimit, read_through_outages
from tarsy_contracts.wire.topics import Topics
from tarsy_testing.servers.bus_kafka import make_topic
from tarsy_testing.servers.outage import KillableKafka, killable_kafka

RECORD = bytes(1024 * 1024)
COUNT = 24
"""More than a fetch brings, so that the rest is still to be fetched when the broker dies."""


def no_time() -> TimeLimit:
    """Passes with the pauses alone: an attempt has as long as it needs."""
    passed = 0.0

    async def sleep(seconds: float) -> None:
        nonlocal passed
        passed += seconds

    return TimeLimit(ends_at=100.0, monotonic=lambda: passed, sleep=sleep, bound=lambda _: nullcontext())


@pytest.fixture
async def kafka(tmp_path: Path) -> AsyncIterator[KillableKafka]:
    async with killable_kafka(tmp_path / "kafka") as kafka:
        yield kafka


@pytest.mark.timing
async def test_what_is_read_while_kafka_dies_and_comes_back_comes_whole(kafka: KillableKafka) -> None:
    bus = Bus(bootstrap=kafka.bootstrap, topics=Topics("outage"), client="test")
    await make_topic(bus, bus.topics.sessions, 1)
    async with LogWriter(bus).running() as writer:
        for number in range(COUNT):
            await writer.append(0, [LogEntry(key=b"s", value=b"%03d" % number + RECORD, headers=[])])
    read = partial(records_at, bus, bus.topics.sessions, 0)

    # Begun before the outage: it goes on. Begun in it, of which one fails for good at its limit: it waits.
    waits, slept = asyncio.Event(), asyncio.sleep

    async def sleep(seconds: float) -> None:
        waits.set()
        await slept(seconds)

    def limit(seconds: float) -> TimeLimit:
        return TimeLimit(ends_at=time.monotonic() + seconds, sleep=sleep)

    async with aclosing(read_through_outages(read, range(COUNT), limit(300))) as records:
        found = [(await anext(records)).offset]
        await kafka.kill()
        with pytest.raises(KafkaUnreachableError, match="Kafka could not be reached in time: KafkaConnectionError"):
            await anext(read_through_outages(read, [0], no_time()))
        waits.clear()
        waiting = asyncio.ensure_future(anext(read_through_outages(read, [7], limit(300))))
        async with asyncio.timeout(60):
            await waits.wait()
        await kafka.start()
        assert (await waiting).value[:3] == b"007"
        found += [record.offset async for record in records]
    assert found == list(range(COUNT))
