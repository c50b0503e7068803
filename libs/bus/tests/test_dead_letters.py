"""What cannot be read is kept on a real Kafka as it was, whatever a stranger wrote."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest
from aiokafka import AIOKafkaProducer

from tarsy_bus.client.connection import Bus
from tarsy_bus.client.publisher import NotWrittenError, Publisher
from tarsy_bus.dead_letters.burial import CUT_BYTES, dead_letter
from tarsy_bus.readers.partition_reader import Record
from tarsy_contracts.wire.topics import LIMIT_BYTES
from tarsy_testing.servers.bus_kafka import make_ours, make_topic, read, read_all

REASON = "header ce_id is missing"
LARGE = b"x" * (LIMIT_BYTES - 1000)


@pytest.fixture
async def stranger(bare: Bus) -> AsyncIterator[AIOKafkaProducer]:
    """Writes what it likes, up to more than we ever would."""
    producer = AIOKafkaProducer(bootstrap_servers=bare.bootstrap, max_request_size=2 * LIMIT_BYTES)
    await producer.start()
    yield producer
    await producer.stop()


@pytest.fixture
async def publisher(bare: Bus) -> AsyncIterator[Publisher]:
    now = datetime(2026, 11, 22, 3, 0, tzinfo=UTC)
    await make_topic(bare, bare.topics.alerts, 2)
    await make_ours(bare, bare.topics.dead_letters)
    async with Publisher(bare, source="test", now=lambda: now).running() as running:
        yield running


async def dead(bare: Bus) -> Record:
    (record,) = await read_all(bare, bare.topics.dead_letters)
    return record


async def buried(
    bare: Bus,
    stranger: AIOKafkaProducer,
    publisher: Publisher,
    *,
    key: bytes | None = None,
    value: bytes | None = b"v",
    headers: list[tuple[str, bytes]] | None = None,
    reason: str = REASON,
) -> Record:
    """The dead letter that the first record of partition 1 became."""
    await stranger.send_and_wait(bare.topics.alerts, value, key=key, headers=headers, partition=1)
    (record,) = await read(bare, bare.topics.alerts, 1)
    await dead_letter(publisher, record, reason)
    return await dead(bare)


async def test_a_dead_letter_keeps_the_bytes_the_headers_the_place_and_the_reason(
    bare: Bus, stranger: AIOKafkaProducer, publisher: Publisher
) -> None:
    letter = await buried(
        bare, stranger, publisher, key=b"\xff", value=b"\x00\xfe", headers=[("a", b"\xff"), ("a", b"2")]
    )
    assert (letter.key, letter.value) == (b"\xff", b"\x00\xfe")
    (record,) = await read(bare, bare.topics.alerts, 1)
    when = record.timestamp
    assert list(letter.headers) == [
        ("a", b"\xff"),
        ("a", b"2"),
        ("dead-letter-topic", bare.topics.alerts.encode()),
        ("dead-letter-partition", b"1"),
        ("dead-letter-offset", b"0"),
        ("dead-letter-reason", REASON.encode()),
        ("dead-letter-service", b"test"),
        ("dead-letter-appended", str(when).encode()),
        ("dead-letter-attempt", b"1"),
    ]


async def test_a_tombstone_stays_one(bare: Bus, stranger: AIOKafkaProducer, publisher: Publisher) -> None:
    letter = await buried(bare, stranger, publisher, key=b"k", value=None)
    assert (letter.key, letter.value) == (b"k", None)


async def test_a_record_without_key_and_value_is_kept_too(
    bare: Bus, stranger: AIOKafkaProducer, publisher: Publisher
) -> None:
    """Other clients write such records, ours cannot: it must not stop at one for ever."""
    await stranger.send_and_wait(bare.topics.alerts, b"v", partition=1)
    (record,) = await read(bare, bare.topics.alerts, 1)
    record.value = None
    await dead_letter(publisher, record, REASON)
    letter = await dead(bare)
    assert (letter.key, letter.value) == (None, b"")


async def test_a_header_without_a_value_is_kept_as_an_empty_one(
    bare: Bus, stranger: AIOKafkaProducer, publisher: Publisher
) -> None:
    letter = await buried(bare, stranger, publisher, headers=[("a", None)])  # type: ignore[list-item]
    assert letter.headers[0] == ("a", b"")


async def test_a_long_reason_is_cut_and_a_strange_one_written(
    bare: Bus, stranger: AIOKafkaProducer, publisher: Publisher
) -> None:
    letter = await buried(bare, stranger, publisher, reason="\ud800" + "x" * 5000)
    assert dict(letter.headers)["dead-letter-reason"] == b"?" + b"x" * 999


@pytest.mark.parametrize(
    ("key", "value", "headers"),
    [
        (b"k", LARGE, []),
        (LARGE, b"v", []),
        (b"k", b"v", [("h", LARGE)]),
        (b"k", b"v", [("h", b"1")] * (LIMIT_BYTES // 5)),
    ],
    ids=["value", "key", "header", "many headers"],
)
async def test_what_is_too_large_is_cut_and_says_so(
    bare: Bus,
    stranger: AIOKafkaProducer,
    publisher: Publisher,
    key: bytes,
    value: bytes,
    headers: list[tuple[str, bytes]],
) -> None:
    letter = await buried(bare, stranger, publisher, key=key, value=value, headers=headers)
    assert (letter.key, letter.value) == (key[:CUT_BYTES], value[:CUT_BYTES])
    assert [name for name, _ in letter.headers] == [
        "dead-letter-topic",
        "dead-letter-partition",
        "dead-letter-offset",
        "dead-letter-reason",
        "dead-letter-service",
        "dead-letter-appended",
        "dead-letter-attempt",
        "dead-letter-cut",
    ]


async def test_nobody_goes_past_a_record_whose_dead_letter_was_not_written(
    bare: Bus, stranger: AIOKafkaProducer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tarsy_bus.client.publisher.WRITE_SECONDS", 0.5)
    await make_topic(bare, bare.topics.alerts)
    await stranger.send_and_wait(bare.topics.alerts, b"v", partition=0)
    (record,) = await read(bare, bare.topics.alerts)
    async with Publisher(bare, source="test", now=lambda: datetime.now(UTC)).running() as running:
        with pytest.raises(NotWrittenError):
            await dead_letter(running, record, REASON)
