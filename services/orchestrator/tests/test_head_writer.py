"""Heads wait while Kafka does not take them: none is left out, and nothing more is decided when many wait."""

import asyncio
from datetime import UTC, datetime

import pytest
from aiokafka.errors import KafkaConnectionError, KafkaTimeoutError
from aiokafka.structs import RecordMetadata, TopicPartition

from tarsy_bus.acceptance import LogMismatchError
from tarsy_bus.background_tasks import background_tasks
from tarsy_bus.client.connection import Bus
from tarsy_bus.client.publisher import NotWrittenError, Publisher
from tarsy_contracts.events.heads import SessionHead
from tarsy_contracts.wire.envelope import Headers
from tarsy_contracts.wire.topics import Topics
from tarsy_orchestrator.partition.head_writer import MOST_WAITING, HeadWriter
from tarsy_orchestrator.partition.heads_partition import HeadsPartition
from tarsy_testing.real_servers import eventually

HEAD = SessionHead(phase="open", number=1, offset=1, event_id="0" * 32, decided=1, spans=())


class Gated(Publisher):
    """Refuses the first write, then keeps what is written once `open` is set."""

    def __init__(self) -> None:
        super().__init__(Bus("", Topics("t"), "test"), source="test", now=lambda: datetime.now(UTC))
        self.open = asyncio.Event()
        self.refused = 0
        self.keys: list[bytes | None] = []

    async def write(
        self, topic: str, *, key: bytes | None, value: bytes | None, headers: Headers, partition: int | None = None
    ) -> RecordMetadata:
        if not self.open.is_set():
            self.refused += 1
            await self.open.wait()
            raise NotWrittenError("the broker was away")
        self.keys.append(key)
        return RecordMetadata(topic, 0, None, len(self.keys) - 1, 0, 0, 0)


def heads_that_end_at(present: int, *, known: int = 0) -> HeadsPartition:
    async def end_of(_: TopicPartition) -> int:
        return present

    return HeadsPartition(TopicPartition("t.heads", 0), end=known, end_of=end_of, monotonic=lambda: 0.0)


async def test_no_head_is_written_where_the_topic_ends_before_what_was_read_from_it() -> None:
    publisher = Gated()
    publisher.open.set()
    writer = HeadWriter(publisher, heads_that_end_at(6, known=7))
    writer.put("s", HEAD, None)
    with pytest.raises(LogMismatchError, match="ends at 6, but it has held records up to offset 6: it was emptied"):
        await writer.run()
    assert publisher.keys == []


async def test_a_head_that_lands_in_a_topic_that_was_made_anew_meanwhile_is_the_last() -> None:
    publisher = Gated()
    publisher.open.set()
    writer = HeadWriter(publisher, heads_that_end_at(7, known=7))
    writer.put("s", HEAD, None)
    writer.put("another", HEAD, None)
    with pytest.raises(LogMismatchError, match=r"took a head at offset 0, .* Stop all orchestrators, delete the topic"):
        await writer.run()
    assert publisher.keys == [b"s/1"]


async def test_an_outage_while_it_is_asked_where_the_topic_ends_is_waited_out() -> None:
    publisher, answers = Gated(), [KafkaTimeoutError(), KafkaConnectionError()]
    publisher.open.set()

    async def end_of(_: TopicPartition) -> int:
        if answers:
            raise answers.pop()
        return 0

    heads = HeadsPartition(TopicPartition("t.heads", 0), end=0, end_of=end_of, monotonic=lambda: 0.0)
    writer = HeadWriter(publisher, heads)
    writer.put("s", HEAD, None)
    async with background_tasks(writer.run()):

        async def written() -> bool:
            return publisher.keys == [b"s/1"]

        await eventually(written, "the head is written")


async def test_nothing_more_is_decided_while_too_many_heads_wait() -> None:
    publisher = Gated()
    writer = HeadWriter(publisher, heads_that_end_at(0))
    await writer.wait_for_capacity()
    for number in range(MOST_WAITING + 1):
        writer.put(f"s{number}", HEAD, None)
    async with background_tasks(writer.run()):

        async def begun() -> bool:
            return publisher.refused > 0

        await eventually(begun, "the first head is tried")
        waiting = asyncio.create_task(writer.wait_for_capacity())
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert not waiting.done()
        publisher.open.set()
        async with asyncio.timeout(60):
            await waiting

            async def written() -> bool:
                return len(publisher.keys) == MOST_WAITING + 1

            await eventually(written, "all are written")
    assert publisher.keys == [f"s{number}/1".encode() for number in range(MOST_WAITING + 1)], "in order"
