"""Heads wait while Kafka does not take them: none is left out, and nothing more is decided when many wait."""

import asyncio
from datetime import UTC, datetime

from aiokafka.structs import RecordMetadata

from tarsy_bus.background_tasks import background_tasks
from tarsy_bus.connection import Bus
from tarsy_bus.publisher import NotWrittenError, Publisher
from tarsy_contracts.envelope import Headers
from tarsy_contracts.heads import SessionHead
from tarsy_contracts.topics import Topics
from tarsy_orchestrator.partition.head_writer import MOST_WAITING, HeadWriter
from tarsy_testing import eventually

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
        return RecordMetadata(topic, 0, None, 0, 0, 0, 0)


async def test_nothing_more_is_decided_while_too_many_heads_wait() -> None:
    publisher = Gated()
    writer = HeadWriter(publisher, 0)
    await writer.until_room()
    for number in range(MOST_WAITING + 1):
        writer.put(f"s{number}", HEAD, None)
    async with background_tasks(writer.run()):

        async def begun() -> bool:
            return publisher.refused > 0

        await eventually(begun, "the first head is tried")
        waiting = asyncio.create_task(writer.until_room())
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
