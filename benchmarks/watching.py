"""The session log as it grows, by the headers alone: a benchmark must not cost what it measures."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from aiokafka import TopicPartition

from tarsy_bus.client.connection import Bus
from tarsy_bus.readers.partition_reader import PartitionReader, Record
from tarsy_contracts.events import ENDINGS
from tarsy_contracts.wire.topics import LOG_PARTITIONS


@dataclass
class Watch:
    """What has been seen: sessions that ended (with the event that ended them), and how many events there were."""

    ended: dict[str, str] = field(default_factory=dict)
    events: int = 0
    last_at: float = 0.0


def type_of(record: Record) -> str:
    return next(str(value, "ascii") for name, value in record.headers if name == "ce_type")


async def follow(
    bus: Bus, watch: Watch, began: asyncio.Event, seen: Callable[[Record, str], None] | None = None
) -> None:
    """From the log's end as it is now, for ever. `began` is set when nothing can be missed any more."""
    async with PartitionReader(bus, bus.topics.sessions).running() as follower:
        places = [TopicPartition(bus.topics.sessions, number) for number in range(LOG_PARTITIONS)]
        ends = await follower.consumer.end_offsets(places)
        follower.assign({place.partition: ends[place] for place in places})
        began.set()
        while True:
            for record in await follower.read():
                type = type_of(record)
                watch.events += 1
                if type in ENDINGS and record.key is not None:
                    watch.ended[record.key.decode()] = type
                    watch.last_at = time.monotonic()
                if seen is not None:
                    seen(record, type)


async def until_ended(watch: Watch, count: int, seconds: float) -> bool:
    """False when not so many sessions have ended in time."""
    limit = time.monotonic() + seconds
    while len(watch.ended) < count:
        if time.monotonic() > limit:
            return False
        await asyncio.sleep(0.1)
    return True
