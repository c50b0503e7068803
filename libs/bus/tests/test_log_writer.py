"""Appending to the session log on a real Kafka: whole, without gaps, and usable after every failure."""

import asyncio
from dataclasses import replace
from unittest import mock

import pytest
from aiokafka import AIOKafkaProducer
from aiokafka.structs import RecordMetadata, TopicPartition

from tarsy_bus.client import client_lifecycle
from tarsy_bus.client.connection import Bus
from tarsy_bus.log import writer as log_writer
from tarsy_bus.log.writer import BATCH_BYTES, AppendUncertainError, LogEntry, LogWriter
from tarsy_contracts.wire.topics import LIMIT_BYTES
from tarsy_testing.servers.bus_kafka import TINY, Door, delete_topic, entries, make_topic, read

BIG = "x" * 2000
"""Too large for a TINY topic."""


async def test_a_batch_lies_where_append_says_without_a_gap_and_in_order(bare: Bus) -> None:
    await make_topic(bare, bare.topics.sessions, 2)
    async with LogWriter(bare).running() as writer:
        assert await writer.append(1, entries("a", "b", "c")) == 0
        assert await writer.append(1, entries("d")) == 3
        assert await writer.append(1, entries("e", "f")) == 4
        assert await writer.append(0, entries("g")) == 0
    records = await read(bare, bare.topics.sessions, 1)
    assert [(record.offset, record.value) for record in records] == list(
        enumerate([b"a", b"b", b"c", b"d", b"e", b"f"])
    )
    assert records[0].key == b"s"
    assert list(records[0].headers) == [("ce_id", b"1")]


async def test_writer_tasks_of_many_partitions_do_not_mix_their_batches(bare: Bus) -> None:
    await make_topic(bare, bare.topics.sessions, 4)

    async def write(writer: LogWriter, partition: int) -> None:
        for batch in range(10):
            first = await writer.append(partition, entries(*(f"{partition}/{batch}/{place}" for place in range(5))))
            assert first == batch * 5

    async with LogWriter(bare).running() as writer, asyncio.TaskGroup() as group:
        for partition in range(4):
            group.create_task(write(writer, partition))
    for partition in range(4):
        values = [record.value for record in await read(bare, bare.topics.sessions, partition)]
        assert values == [f"{partition}/{batch}/{place}".encode() for batch in range(10) for place in range(5)]


async def test_a_batch_over_the_limit_is_refused_before_anything_is_sent(bare: Bus) -> None:
    await make_topic(bare, bare.topics.sessions)
    half = "x" * (LIMIT_BYTES // 2)
    async with LogWriter(bare).running() as writer:
        with pytest.raises(ValueError, match=r"a batch of 3 entries, 41\d{5} bytes, was to be appended"):
            await writer.append(0, entries("small", half, half))
        assert await writer.append(0, entries("next")) == 0


async def test_one_entry_over_the_limit_is_refused_before_it_is_sent(bare: Bus) -> None:
    """aiokafka takes any first record into a batch, and the broker's refusal would ruin the producer."""
    await make_topic(bare, bare.topics.sessions)
    async with LogWriter(bare).running() as writer:
        with pytest.raises(ValueError, match="a batch of 1 entries"):
            await writer.append(0, entries("x" * LIMIT_BYTES))
        assert await writer.append(0, entries("next")) == 0


async def test_an_empty_batch_is_refused(bare: Bus) -> None:
    await make_topic(bare, bare.topics.sessions)
    async with LogWriter(bare).running() as writer:
        with pytest.raises(ValueError, match="a batch of 0 entries"):
            await writer.append(0, [])


async def test_what_adds_up_to_the_batch_limit_is_written(bare: Bus) -> None:
    """The orchestrator fills its batches by these sizes: they must never come out smaller than the bytes are."""
    await make_topic(bare, bare.topics.sessions)
    small = LogEntry(key=b"k" * 36, value=b"", headers=[("h", b"")] * 20)
    many = [small] * (BATCH_BYTES // small.size)
    big = LogEntry(key=b"k", value=b"x" * (BATCH_BYTES - 65), headers=[])
    assert big.size == BATCH_BYTES
    async with LogWriter(bare).running() as writer:
        assert await writer.append(0, many) == 0
        assert await writer.append(0, [big]) == len(many)


async def test_a_refusal_of_the_broker_is_uncertain_and_the_next_append_works(bare: Bus) -> None:
    """After such a refusal an idempotent producer is lost for good: it must have been replaced."""
    await make_topic(bare, bare.topics.sessions, config=TINY)
    async with LogWriter(bare).running() as writer:
        assert await writer.append(0, entries("before")) == 0
        with pytest.raises(AppendUncertainError, match="MessageSizeTooLarge"):
            await writer.append(0, entries("first of two", BIG))
        assert await writer.append(0, entries("after")) == 1
        assert await writer.append(0, entries("after that")) == 2
    assert [record.value for record in await read(bare, bare.topics.sessions)] == [b"before", b"after", b"after that"]


async def test_a_refusal_is_uncertain_also_when_kafka_cannot_be_reached_for_a_new_producer(
    bare: Bus, door: Door
) -> None:
    await make_topic(bare, bare.topics.sessions, config=TINY)
    async with LogWriter(replace(bare, bootstrap=door.address)).running() as writer:
        await writer.append(0, entries("before"))
        await door.shut()
        with pytest.raises(AppendUncertainError, match="MessageSizeTooLarge"):
            await writer.append(0, entries(BIG))
        with pytest.raises(AppendUncertainError, match="OutOfOrderSequence"):
            await writer.append(0, entries("lost its place"))
        await door.open()
        with pytest.raises(AppendUncertainError):
            await writer.append(0, entries("replaces it"))
        assert await writer.append(0, entries("works")) == 1


async def test_a_write_that_is_never_acknowledged_is_uncertain_and_leaves_nothing_running(
    bare: Bus, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A producer that cannot flush would go on trying for ever, and one more would be left behind at each attempt."""
    monkeypatch.setattr(client_lifecycle, "STOP_SECONDS", 0.5)
    await make_topic(bare, bare.topics.sessions)
    before = asyncio.all_tasks()
    async with LogWriter(bare).running() as writer:
        await writer.append(0, entries("before"))
        await delete_topic(bare, bare.topics.sessions)
        monkeypatch.setattr(log_writer, "APPEND_SECONDS", 0.5)
        with pytest.raises(AppendUncertainError, match="TimeoutError"):
            await writer.append(0, entries("stuck"))
    assert asyncio.all_tasks() <= before


async def test_a_batch_that_aiokafka_gives_up_is_uncertain_and_the_writer_lives(
    bare: Bus, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its CancelledError is not one of the partition's task: that would end without a word."""
    await make_topic(bare, bare.topics.sessions)
    async with LogWriter(bare).running() as writer:
        broken = writer._producing.current

        async def gives_up(*args: object, **options: object) -> object:
            own = asyncio.get_running_loop().create_future()
            own.cancel()
            return await own

        monkeypatch.setattr(broken, "send_batch", gives_up)
        with pytest.raises(AppendUncertainError, match="gave the batch up"):
            await writer.append(0, entries("lost"))
        assert await writer.append(0, entries("works")) == 0


async def test_an_acknowledgement_without_a_place_is_uncertain(bare: Bus) -> None:
    """What aiokafka makes of DuplicateSequenceNumber: written, but nobody knows where."""
    acknowledged: asyncio.Future[RecordMetadata] = asyncio.get_running_loop().create_future()
    place = TopicPartition(bare.topics.sessions, 0)
    acknowledged.set_result(RecordMetadata(place.topic, 0, place, -1, -1, 0, -1))
    async with LogWriter(bare).running() as writer:
        with (
            mock.patch.object(AIOKafkaProducer, "send_batch", return_value=acknowledged),
            pytest.raises(AppendUncertainError, match="does not know where"),
        ):
            await writer.append(0, entries("a"))
