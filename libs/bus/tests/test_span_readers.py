"""Spans of a partition that are read again, on a real Kafka."""

import asyncio
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest
from aiokafka import AIOKafkaConsumer
from aiokafka.client import AIOKafkaClient
from aiokafka.errors import KafkaError

from tarsy_bus.background_tasks import background_tasks
from tarsy_bus.client.connection import Bus, span_reader
from tarsy_bus.log.writer import LogWriter
from tarsy_bus.pacing import TURN_SECONDS
from tarsy_bus.readers import span_readers
from tarsy_bus.readers.partition_reader import Record
from tarsy_bus.readers.span_readers import SpanReader, SpanReaders
from tarsy_contracts.events.heads import Span
from tarsy_testing.real_servers import eventually
from tarsy_testing.servers.bus_kafka import delete_before, entries, make_topic

NOWHERE = "127.0.0.1:1"


@pytest.fixture
async def log(bare: Bus) -> str:
    """A topic with 30 records, one batch each, in partition 0, and ten in 1."""
    await make_topic(bare, bare.topics.sessions, 3)
    async with LogWriter(bare).running() as writer:
        for number in range(30):
            await writer.append(0, entries(number))
        await writer.append(1, entries(*range(10)))
    return bare.topics.sessions


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[AIOKafkaConsumer]:
    """All consumers that were made."""
    made: list[AIOKafkaConsumer] = []

    def make(bus: Bus) -> AIOKafkaConsumer:
        made.append(span_reader(bus))
        return made[-1]

    monkeypatch.setattr(span_readers, "span_reader", make)
    return made


@pytest.fixture
async def readers(bare: Bus, log: str, made: list[AIOKafkaConsumer]) -> AsyncIterator[SpanReaders]:
    async with SpanReaders(bare, log, at_once=2).running() as readers:
        yield readers


async def offsets(reader: SpanReader, partition: int, *spans: tuple[int, int]) -> list[int]:
    found: list[Record] = []
    await reader.read(partition, [Span(first=first, last=last) for first, last in spans], found.append)
    assert {record.partition for record in found} <= {partition}
    return [record.offset for record in found]


async def test_all_spans_are_read_in_order_and_nothing_else_with_one_consumer(
    readers: SpanReaders, made: list[AIOKafkaConsumer]
) -> None:
    for _ in range(3):
        async with readers.borrowed() as reader:
            assert await offsets(reader, 0, (3, 5), (9, 9), (20, 29)) == [3, 4, 5, 9, *range(20, 30)]
        async with readers.borrowed() as reader:
            assert await offsets(reader, 1, (0, 3)) == [0, 1, 2, 3]
    assert len(made) == 1


async def test_what_is_no_longer_kept_or_not_there_yet_is_left_out(bare: Bus, log: str, readers: SpanReaders) -> None:
    await delete_before(bare, log, 0, 7)
    async with readers.borrowed() as reader:
        assert await offsets(reader, 0, (2, 4), (5, 8), (28, 40), (50, 60)) == [7, 8, 28, 29]
        assert await offsets(reader, 2, (0, 3)) == []


async def test_others_have_their_turn_between_the_records_of_a_long_session(
    bare: Bus, log: str, readers: SpanReaders
) -> None:
    """An owner makes the state of thousands of events anew, one after the other, and 30 of them came in one read."""
    taken, most = 0, 0

    async def other() -> None:
        nonlocal taken, most
        while True:
            most, taken = max(most, taken), 0
            await asyncio.sleep(0)

    def take(record: Record) -> None:
        nonlocal taken
        taken += 1
        time.sleep(TURN_SECONDS / 4)

    async with readers.borrowed() as reader, background_tasks(other()):
        await reader.read(0, [Span(first=0, last=29)], take)
    assert most <= 4


async def test_a_reader_that_is_kept_asks_for_metadata_once(
    readers: SpanReaders, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such requests come with pauses, and requests for offsets wait for them."""
    asked: list[object] = []
    really = AIOKafkaClient._metadata_update

    async def update(self: AIOKafkaClient, *about: Any) -> Any:
        asked.append(about)
        return await really(self, *about)

    monkeypatch.setattr(AIOKafkaClient, "_metadata_update", update)
    async with readers.borrowed() as reader:
        await offsets(reader, 0, (0, 1))
    asked.clear()
    for partition in (0, 1, 2):
        async with readers.borrowed() as reader:
            await offsets(reader, partition, (0, 1), (5, 9))
    assert asked == []


async def test_no_more_are_borrowed_at_once_than_there_are(readers: SpanReaders, made: list[AIOKafkaConsumer]) -> None:
    may_end, inside = asyncio.Event(), 0

    async def borrow() -> None:
        nonlocal inside
        async with readers.borrowed() as reader:
            inside += 1
            await offsets(reader, 0, (0, 1))
            await may_end.wait()
            inside -= 1

    async def both_are_inside() -> bool:
        return inside == 2

    async with asyncio.TaskGroup() as tasks:
        for _ in range(5):
            tasks.create_task(borrow())
        await eventually(both_are_inside, "two have borrowed")
        assert len(made) <= 2
        may_end.set()
    assert (len(made), inside) == (2, 0)


async def test_after_a_failure_the_reader_is_made_anew(
    bare: Bus, log: str, made: list[AIOKafkaConsumer], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with SpanReaders(bare, log).running() as readers:
        with monkeypatch.context() as away:
            away.setattr(span_readers, "span_reader", lambda bus: span_reader(replace(bus, bootstrap=NOWHERE)))
            with pytest.raises(KafkaError):
                async with readers.borrowed() as reader:
                    await offsets(reader, 0, (0, 1))
        async with readers.borrowed() as reader:
            assert await offsets(reader, 0, (0, 1)) == [0, 1]
    assert len(made) == 1
