"""The session log as it grows: tests that act at a moment of it, and measure by its stamps."""

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest
from aiokafka import TopicPartition

from tarsy_bus.client.connection import Bus
from tarsy_bus.readers.partition_reader import PartitionReader
from tarsy_contracts import events as e
from tarsy_contracts.events.recorded import RecordedEvent
from tarsy_contracts.wire.topics import LOG_PARTITIONS
from tarsy_testing.story.log import check_one_chain
from tarsy_verification.session_log import LogReading, SessionLog

LOOK_SECONDS = 180.0
NOTHING = SessionLog()


@dataclass
class LiveLog:
    """Sessions that began after this did."""

    follower: PartitionReader
    reading: LogReading = field(default_factory=LogReading)

    def of(self, session_id: str) -> SessionLog:
        return self.reading.sessions.get(session_id, NOTHING)

    async def until[T](self, look: Callable[[], T | None], what: str, *, seconds: float = LOOK_SECONDS) -> T:
        """Reads on until there is something to see, which it returns; looks after every read, and before the first."""
        limit = time.monotonic() + seconds
        while not (found := look()):
            if time.monotonic() > limit:
                pytest.fail(f"not in {seconds:g} seconds: {what}")
            for record in await self.follower.next():
                self.reading.take(record)
        return found

    async def until_event(self, session_id: str, kind: type[e.Event], *, count: int = 1) -> SessionLog:
        def look() -> SessionLog | None:
            log = self.of(session_id)
            return log if len(log.events(kind)) >= count else None

        return await self.until(look, f"{count} {kind.type} of {session_id}")

    async def until_ended(self, session_id: str, *, seconds: float = LOOK_SECONDS) -> SessionLog:
        """Waits for the end, and checks that the log is one chain."""

        def look() -> SessionLog | None:
            log = self.of(session_id)
            return log if log.ended else None

        log = await self.until(look, f"the end of {session_id}", seconds=seconds)
        check_one_chain(log)
        return log


def records_of(log: SessionLog, kind: type[e.Event]) -> list[RecordedEvent]:
    """With their stamps."""
    return [record for record in log.accepted if isinstance(record.event, kind)]


@asynccontextmanager
async def following(bus: Bus) -> AsyncIterator[LiveLog]:
    async with PartitionReader(bus, bus.topics.sessions).running() as follower:
        places = [TopicPartition(bus.topics.sessions, partition) for partition in range(LOG_PARTITIONS)]
        ends = await follower.consumer.end_offsets(places)
        follower.assign({place.partition: offset for place, offset in ends.items()})
        yield LiveLog(follower)
