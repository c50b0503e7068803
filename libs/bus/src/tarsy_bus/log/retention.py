"""Retention of the session log: records are deleted below every life that is still wanted, and never by time."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from aiokafka import TopicPartition
from aiokafka.admin import RecordsToDelete

from tarsy_bus.client.connection import Bus
from tarsy_bus.log.head_reading import read_heads
from tarsy_bus.readers.partition_reader import PartitionReader
from tarsy_bus.topics.topics_admin import admin

DELETE_MS = 60_000


@dataclass(frozen=True, slots=True)
class LogCut:
    """Records of a partition from `first` up to before `cut` may go."""

    partition: int
    first: int
    cut: int

    @property
    def records(self) -> int:
        """At most: offsets may be missing."""
        return max(0, self.cut - self.first)


async def plan_log_cuts(bus: Bus, positions: Mapping[int, int]) -> list[LogCut]:
    """The partitions of which something may go. `positions`: where views of the log read on, which need the rest.

    A cut is below every span and below the last offset that heads list, as read back from the topic. An owner checks
    there that the log belongs to its heads. Heads that come later are of records behind both.
    """
    numbers = range(bus.layout.log_partitions)
    async with PartitionReader(bus, bus.topics.sessions).running() as reader:
        firsts = await reader.firsts(numbers)
    heads = await read_heads(bus, numbers)
    try:
        wanted = {number: await asyncio.to_thread(store.find_first_wanted) for number, store in heads.items()}
    finally:
        for store in heads.values():
            store.close()
    cuts = [LogCut(number, firsts[number], min(wanted[number], positions.get(number, 0))) for number in numbers]
    return [cut for cut in cuts if cut.records]


async def cut_log(bus: Bus, cuts: list[LogCut]) -> None:
    """Raises KafkaError."""
    wanted = {
        TopicPartition(bus.topics.sessions, cut.partition): RecordsToDelete(before_offset=cut.cut) for cut in cuts
    }
    if wanted:
        async with admin(bus) as client:
            await client.delete_records(wanted, timeout_ms=DELETE_MS)
