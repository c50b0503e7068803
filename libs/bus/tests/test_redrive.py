"""A re-driven record goes back to where it came from with its bytes, and keeps its identity, on a real Kafka."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from aiokafka import AIOKafkaProducer

from tarsy_bus.client.connection import Bus
from tarsy_bus.client.publisher import NotWrittenError, Publisher
from tarsy_bus.dead_letters.burial import dead_letter, origin_of
from tarsy_bus.dead_letters.letter_index import DeadLetter, DeadLetterIndex
from tarsy_bus.dead_letters.redrive import NotMarkedError, RedriveRefusedError, redrive
from tarsy_bus.readers.partition_reader import Record
from tarsy_contracts.wire.envelope import Headers
from tarsy_contracts.wire.topics import LIMIT_BYTES
from tarsy_testing.servers.bus_kafka import delete_before, delete_topic, make_ours, make_topic, read, read_all

CLUSTER = "c1"
POISON = b"\x00\xfe not an alert"
HEADERS: Headers = [("a", b"\xff"), ("a", b""), ("dead-letter-topic", b"mine"), ("redrive-topic", b"mine")]


@pytest.fixture
async def publisher(bare: Bus) -> AsyncIterator[Publisher]:
    await make_topic(bare, bare.topics.alerts, 2)
    await make_ours(bare, bare.topics.dead_letters)
    async with Publisher(bare, source="tarsy/test/1", now=lambda: datetime.now(UTC)).running() as running:
        yield running


async def bury(bare: Bus, publisher: Publisher) -> None:
    """Does what a service does with the last record of the alerts."""
    *_, last = await read(bare, bare.topics.alerts, 1)
    await dead_letter(publisher, last, "it is no alert")


async def send(bare: Bus, value: bytes = POISON, headers: Headers = HEADERS, key: bytes | None = b"\xff") -> None:
    producer = AIOKafkaProducer(bootstrap_servers=bare.bootstrap, max_request_size=2 * LIMIT_BYTES)
    await producer.start()
    await producer.send_and_wait(bare.topics.alerts, value, key=key, headers=headers, partition=1)
    await producer.stop()


async def only(bare: Bus) -> tuple[DeadLetter, Record]:
    index = DeadLetterIndex(CLUSTER)
    await index.refresh(bare)
    (letter,) = index.newest_first()
    first = letter.first
    (record, *_) = await read(bare, bare.topics.dead_letters, first.partition, first.offset)
    return letter, record


async def test_bytes_key_and_headers_come_back_and_what_fails_again_is_the_same_letter(
    bare: Bus, publisher: Publisher
) -> None:
    await send(bare)
    await bury(bare, publisher)
    letter, record = await only(bare)
    await redrive(publisher, CLUSTER, letter, record, "ann")
    original, again = await read(bare, bare.topics.alerts, 1)
    assert (again.key, again.value, list(again.headers[:3])) == (b"\xff", POISON, HEADERS[:3])
    origin = origin_of(again)
    assert origin is not None
    assert (origin.offset, origin.appended_ms, origin.attempt) == (original.offset, original.timestamp, 1)
    letter, _ = await only(bare)
    assert not letter.waits

    await bury(bare, publisher)
    letter, record = await only(bare)
    assert (letter.waits, letter.last.attempt, letter.last.service, letter.first.attempt) == (True, 2, "test", 1)
    await redrive(publisher, CLUSTER, letter, record, "ann")
    third = (await read(bare, bare.topics.alerts, 1))[-1]
    assert (origin_of(third), list(third.headers[:3])) == (replace(origin, attempt=2), HEADERS[:3])


async def test_a_letter_that_was_cut_is_refused(bare: Bus, publisher: Publisher) -> None:
    await send(bare, b"x" * (LIMIT_BYTES - 1000))
    await bury(bare, publisher)
    letter, record = await only(bare)
    with pytest.raises(RedriveRefusedError, match="cut"):
        await redrive(publisher, CLUSTER, letter, record, "ann")
    assert len(await read(bare, bare.topics.alerts, 1)) == 1
    assert letter.waits


async def test_a_crash_before_the_marker_leaves_the_letter_waiting_and_a_second_one_has_the_same_identity(
    bare: Bus, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    await send(bare, headers=[])
    await bury(bare, publisher)
    letter, record = await only(bare)

    async def die(*_: object, **__: object) -> None:
        raise NotWrittenError("gone")

    with monkeypatch.context() as patched:
        patched.setattr(publisher, "publish", die)
        with pytest.raises(NotMarkedError):
            await redrive(publisher, CLUSTER, letter, record, "ann")
    letter, record = await only(bare)
    assert letter.waits
    await redrive(publisher, CLUSTER, letter, record, "ann")
    _, one, other = await read(bare, bare.topics.alerts, 1)
    assert origin_of(one) == origin_of(other) is not None
    letter, _ = await only(bare)
    assert not letter.waits


async def test_an_index_reads_on_where_it_stopped_and_drops_what_retention_deleted(
    bare: Bus, publisher: Publisher
) -> None:
    await send(bare)
    await send(bare)
    index = DeadLetterIndex(CLUSTER)
    for record in await read(bare, bare.topics.alerts, 1):
        await dead_letter(publisher, record, "no alert")
        await index.refresh(bare)
    newer, older = index.newest_first()
    assert newer.first.partition == older.first.partition
    await delete_before(bare, bare.topics.dead_letters, older.first.partition, older.first.offset + 1)
    await index.refresh(bare)
    assert [letter.id for letter in index.newest_first()] == [newer.id]


async def test_an_index_of_a_topic_that_was_made_anew_begins_anew(bare: Bus, publisher: Publisher) -> None:
    await send(bare)
    await bury(bare, publisher)
    index = DeadLetterIndex(CLUSTER)
    await index.refresh(bare)
    await delete_topic(bare, bare.topics.dead_letters)
    await make_ours(bare, bare.topics.dead_letters)
    await index.refresh(bare)
    assert list(index.newest_first()) == []
    assert len(await read_all(bare, bare.topics.dead_letters)) == 0
