"""What aiokafka cannot parse costs itself and nothing else, on a real Kafka."""

import pytest

from tarsy_bus.client.connection import Bus
from tarsy_bus.client.record_parsing import KafkaRecord, UnparsableRecord
from tarsy_bus.readers.partition_reader import read_to_end
from tarsy_testing.servers.bus_kafka import make_topic
from tarsy_testing.servers.foreign_batches import batch_of, with_a_broken_name, write_batch


async def values(bus: Bus, topic: str) -> list[tuple[int, bytes | None, str | None]]:
    found: list[KafkaRecord] = []
    await read_to_end(bus, topic, {0: 0}, found.append)
    return [
        (record.offset, record.value, record.problem if isinstance(record, UnparsableRecord) else None)
        for record in found
    ]


@pytest.mark.parametrize("codec", ["gzip", "snappy", "lz4", "zstd"])
async def test_compressed_records_are_read(bare: Bus, codec: str) -> None:
    await make_topic(bare, bare.topics.alerts)
    await write_batch(bare, bare.topics.alerts, batch_of([b"one" * 1000, b"two" * 1000], codec=codec))
    await write_batch(bare, bare.topics.alerts, batch_of([b"three"]))
    assert await values(bare, bare.topics.alerts) == [
        (0, b"one" * 1000, None),
        (1, b"two" * 1000, None),
        (2, b"three", None),
    ]


@pytest.mark.parametrize("codec", ["gzip", "snappy", "lz4", "zstd"])
async def test_records_that_the_broker_compressed_are_read(bare: Bus, codec: str) -> None:
    await make_topic(bare, bare.topics.alerts, config={"compression.type": codec})
    await write_batch(bare, bare.topics.alerts, batch_of([b"one" * 1000, b"two" * 1000]))
    assert await values(bare, bare.topics.alerts) == [(0, b"one" * 1000, None), (1, b"two" * 1000, None)]


async def test_a_header_with_a_broken_name_costs_its_record_only(bare: Bus) -> None:
    await make_topic(bare, bare.topics.alerts)
    await write_batch(bare, bare.topics.alerts, batch_of([b"before"]))
    await write_batch(bare, bare.topics.alerts, with_a_broken_name([b"one", b"two", b"three"], broken=1))
    await write_batch(bare, bare.topics.alerts, batch_of([b"after"]))
    assert await values(bare, bare.topics.alerts) == [
        (0, b"before", None),
        (1, b"one", None),
        (2, b"two", "the name of a header is not UTF-8 text"),
        (3, b"three", None),
        (4, b"after", None),
    ]


@pytest.mark.parametrize("codec", ["gzip", "snappy", "lz4", "zstd"])
async def test_a_batch_that_would_fill_the_memory_is_not_decompressed(bare: Bus, codec: str) -> None:
    await make_topic(bare, bare.topics.alerts)
    bomb = batch_of([bytes(12 * 1024 * 1024)] * 3, codec=codec)
    assert len(bomb) < 4_000_000
    await write_batch(bare, bare.topics.alerts, bomb)
    await write_batch(bare, bare.topics.alerts, batch_of([b"after"]))
    (_, raw, problem), after = await values(bare, bare.topics.alerts)
    assert after == (3, b"after", None)
    assert raw is not None
    assert raw[61:] == bomb[61:]
    assert problem is not None
    assert "decompressed" in problem
