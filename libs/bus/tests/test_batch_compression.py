"""Batches that we write are compressed where they are large, and readers take in no more of them than they can hold."""

import asyncio
import random
import time
from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest
from aiokafka.errors import UnknownError
from aiokafka.record.default_records import DefaultRecordBatch

from tarsy_bus.client.connection import ENVELOPE_BYTES, Bus, batch_reader
from tarsy_bus.client.paced_producer import COMPRESSED_FROM_BYTES, compress
from tarsy_bus.client.publisher import NotWrittenError, Publisher
from tarsy_bus.client.record_parsing import ATTRIBUTES, ATTRIBUTES_AT, CODEC, plain_batch
from tarsy_bus.client.whole_batches import WholeBatches
from tarsy_bus.log.writer import LogEntry, LogWriter
from tarsy_bus.readers.partition_reader import PartitionReader, records_to_end
from tarsy_contracts.wire.topics import LIMIT_BYTES
from tarsy_testing.servers.bus_kafka import make_ours, make_topic, read, read_all
from tarsy_testing.servers.foreign_batches import CODECS, batch_of

SAID = b"2026-11-24T08:00:00Z api-7 ERROR the request failed after 30 seconds\n"
LARGE = SAID * 2_000


@pytest.fixture
async def writer(bare: Bus) -> AsyncIterator[Publisher]:
    async with Publisher(bare, source="tester", now=lambda: datetime.now(UTC)).running() as running:
        yield running


def codec_of(batch: bytes | bytearray) -> int:
    attributes: int = ATTRIBUTES.unpack_from(batch, ATTRIBUTES_AT)[0]
    return attributes & CODEC


async def batches(bus: Bus, topic: str) -> list[bytes]:
    """The batches of partition 0 as they lie there."""
    found: list[bytes] = []
    async for records in records_to_end(bus, topic, {0: 0}, consumer=batch_reader):
        for record in records:
            assert isinstance(record, WholeBatches)
            found += record.raw
    return found


@pytest.mark.parametrize("values", [[LARGE], [b"a" * 5_000, b"b" * 5_000, b"c"]], ids=["one record", "three records"])
def test_a_compressed_batch_is_whole_and_holds_the_same_records(values: list[bytes]) -> None:
    plain = batch_of(values)
    small = compress(bytearray(plain))
    assert len(small) < len(plain) / 10
    assert codec_of(small) == CODECS["zstd"]
    assert DefaultRecordBatch(bytes(small)).validate_crc()
    assert [record.value for record in DefaultRecordBatch(bytes(small))] == values
    found = plain_batch(bytes(small))
    assert found is not None
    assert found[0][ATTRIBUTES_AT:] == plain[ATTRIBUTES_AT:]


def test_a_batch_that_is_small_or_would_not_shrink_stays_as_it_is() -> None:
    small = bytearray(batch_of([b"x" * (COMPRESSED_FROM_BYTES - 200)]))
    noise = bytearray(batch_of([random.Random(1).randbytes(100_000)]))
    assert compress(small) is small
    assert compress(noise) is noise


async def test_a_large_record_lies_compressed_in_kafka_and_a_small_one_as_it_is(bare: Bus, writer: Publisher) -> None:
    await make_topic(bare, bare.topics.control)
    headers = [("ce_id", b"1")]
    for value in (b"small", LARGE, b"small again"):
        await writer.write(bare.topics.control, key=b"k", value=value, headers=headers, partition=0)
    first, second, third = await batches(bare, bare.topics.control)
    assert [codec_of(one) for one in (first, second, third)] == [0, CODECS["zstd"], 0]
    assert len(second) < len(LARGE) / 20
    found = await read(bare, bare.topics.control)
    assert [record.value for record in found] == [b"small", LARGE, b"small again"]
    assert {tuple(record.headers) for record in found} == {tuple(headers)}


async def test_records_that_are_written_at_once_come_once_and_in_order(bare: Bus, writer: Publisher) -> None:
    """Idempotence counts the records of a batch, compressed or not."""
    await make_topic(bare, bare.topics.control)
    values = [b"%d " % number + LARGE[: number * 997 % 60_000] for number in range(200)]
    async with asyncio.TaskGroup() as group:
        for value in values:
            group.create_task(writer.write(bare.topics.control, key=b"k", value=value, headers=[], partition=0))
    assert [record.value for record in await read(bare, bare.topics.control)] == values


async def test_the_limit_of_a_record_is_that_before_compression(bare: Bus, writer: Publisher) -> None:
    await make_ours(bare, bare.topics.results)
    value = bytes(LIMIT_BYTES - ENVELOPE_BYTES - 100)
    await writer.write(bare.topics.results, key=b"k", value=value, headers=[])
    (record,) = await read_all(bare, bare.topics.results)
    assert record.value == value


async def test_a_broker_without_zstd_gets_the_next_attempt_plain(
    bare: Bus, writer: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says UnknownError, whatever is written again: a long result would never be stored."""
    await make_topic(bare, bare.topics.control)

    async def refuses(*args: object, **options: object) -> object:
        raise UnknownError

    monkeypatch.setattr(writer._producing.current, "send_and_wait", refuses)
    with pytest.raises(NotWrittenError, match="UnknownError"):
        await writer.write(bare.topics.control, key=b"k", value=LARGE, headers=[], partition=0)
    await writer.write(bare.topics.control, key=b"k", value=LARGE, headers=[], partition=0)
    assert [codec_of(one) for one in await batches(bare, bare.topics.control)] == [0]


async def test_the_session_log_stays_plain(bare: Bus) -> None:
    await make_topic(bare, bare.topics.sessions)
    async with LogWriter(bare).running() as log:
        await log.append(0, [LogEntry(key=b"s", value=LARGE, headers=[])])
    assert [codec_of(one) for one in await batches(bare, bare.topics.sessions)] == [0]


async def test_a_reader_takes_in_a_bounded_part_of_records_that_shrank_a_thousandfold(
    bare: Bus, writer: Publisher
) -> None:
    """All of them come in one fetch: together they would fill the memory."""
    await make_topic(bare, bare.topics.results)
    value = bytes(2 * 1024 * 1024)
    for number in range(30):
        await writer.write(bare.topics.results, key=b"%d" % number, value=value, headers=[], partition=0)
    keys: list[bytes | None] = []
    async with PartitionReader(bare, bare.topics.results).running() as reader:
        reader.assign({0: 0})
        while len(keys) < 30:
            records = await reader.read()
            assert sum(len(record.value or b"") for record in records) <= 3 * LIMIT_BYTES
            keys += [record.key for record in records]
    assert keys == [b"%d" % number for number in range(30)]


@pytest.mark.timing
def test_compression_holds_the_loop_for_a_few_milliseconds_only() -> None:
    """The processor's time of this thread: others may use the machine meanwhile."""
    batch = batch_of([(SAID * (LIMIT_BYTES // len(SAID)))[: LIMIT_BYTES - ENVELOPE_BYTES]])
    spent = []
    for _ in range(3):
        began = time.thread_time()
        compress(bytearray(batch))
        spent.append(time.thread_time() - began)
    assert min(spent) < 0.09
