"""Partitions of one topic, of which only those are fetched that somebody needs."""

import asyncio
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress

from aiokafka import TopicPartition

from tarsy_bus.readers.partition_reader import PartitionReader, Record

LEAST_PAUSE_SECONDS = 0.002
LONGEST_PAUSE_SECONDS = 0.05
PAUSE_SHARE = 2
"""The pause after a read, as a multiple of the time that the read took. Reading and sending therefore use at most a
third of the time.
"""
IDLE_SECONDS = 2.0
"""How often a reader of nothing asks Kafka whether it is there: `/ready` says so."""


class PartitionsOnDemand:
    """One consumer, to which all partitions are assigned, and paused while nobody needs them."""

    def __init__(self, follower: PartitionReader, topic: str, heartbeat: Callable[[], None]) -> None:
        self._follower = follower
        self._topic = topic
        self._heartbeat = heartbeat
        self._needed = asyncio.Event()
        self.positions: dict[int, int] = {}
        """The next offset of each partition that is fetched."""
        self.is_idle = False
        """Whether the last read brought nothing."""
        self._begun: Counter[int] = Counter()
        """How often each was moved."""

    async def begin(self, numbers: list[int]) -> None:
        """Assigns all, and fetches none. Waits for Kafka, however long it is away."""
        ends = await self._follower.ends(numbers)
        self._follower.assign(ends)
        self._follower.consumer.pause(*(TopicPartition(self._topic, number) for number in ends))

    def fetch(self, number: int, offset: int) -> None:
        """From this offset on, also if it was fetched further already."""
        topic_partition = TopicPartition(self._topic, number)
        self.positions[number] = offset
        self._begun[number] += 1
        self._follower.consumer.seek(topic_partition, offset)
        self._follower.consumer.resume(topic_partition)
        self._needed.set()

    def stop(self, number: int) -> None:
        self._follower.consumer.pause(TopicPartition(self._topic, number))
        del self.positions[number]
        if not self.positions:
            self._needed.clear()

    async def position(self, number: int) -> int:
        """The next offset that is read. It may lie behind offsets that hold no record."""
        return await self._follower.position(number)

    async def next(self) -> list[Record]:
        """The next records, without those of a partition that was stopped meanwhile; none after a while."""
        if not self.positions:
            with suppress(TimeoutError):
                async with asyncio.timeout(IDLE_SECONDS):
                    await self._needed.wait()
                    return []
            await self._follower.ends([0])
            self._heartbeat()
            return []
        begun = dict(self._begun)
        records = await self._follower.next()
        self.is_idle = not records
        moved = {
            record.partition for record in records if self._begun.get(record.partition) != begun.get(record.partition)
        }
        for number in moved & self.positions.keys():
            # Nobody knows whether these are from before it was moved.
            self._follower.consumer.seek(TopicPartition(self._topic, number), self.positions[number])
        taken = [one for one in records if one.partition in self.positions and one.partition not in moved]
        for record in taken:
            self.positions[record.partition] = record.offset + 1
        return taken


async def pause_after(began: float) -> None:
    """`began`: when the work on the last records began, by the monotonic clock."""
    worked = time.monotonic() - began
    await asyncio.sleep(min(max(PAUSE_SHARE * worked, LEAST_PAUSE_SECONDS), LONGEST_PAUSE_SECONDS))
