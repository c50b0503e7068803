"""Ranges of the inbox: where the reading of each partition starts, and whether that can be."""

import asyncio
from collections.abc import Collection
from dataclasses import dataclass

from aiokafka import AIOKafkaConsumer, TopicPartition

from tarsy_bus.client.connection import Bus
from tarsy_bus.queues.start_positions import read_committed_offsets
from tarsy_bus.readers.partition_reader import PartitionReader, ends

POSITION_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class InboxRange:
    """A partition holds the offsets `first` to `end` (exclusive). `start`: what was committed, or else `first`."""

    first: int
    start: int
    end: int


async def read_inbox_ranges(bus: Bus, consumer: AIOKafkaConsumer, partitions: Collection[int]) -> dict[int, InboxRange]:
    topic_partitions = {number: TopicPartition(bus.topics.inbox, number) for number in partitions}
    async with asyncio.timeout(POSITION_SECONDS):
        committed = await read_committed_offsets(consumer, topic_partitions.values())
    async with PartitionReader(bus, bus.topics.inbox).running() as asking:
        first = await asking.consumer.beginning_offsets(list(topic_partitions.values()))
    starts = {
        number: first[topic_partition] if (at := committed[topic_partition]) is None else at
        for number, topic_partition in topic_partitions.items()
    }
    end = await ends(bus, bus.topics.inbox, sorted(partitions))
    return {
        number: InboxRange(first[topic_partition], starts[number], end[number])
        for number, topic_partition in topic_partitions.items()
    }


def inbox_misfit(bus: Bus, number: int, inbox: InboxRange, decided: int) -> str | None:
    """Why it is not the inbox of the log; None where it is.

    `decided`: the highest offset that is decided, as the session log says.
    """
    holds = f"{bus.topics.inbox} partition {number} holds offsets {inbox.first} to {inbox.end}"
    if not inbox.first <= inbox.start <= inbox.end:
        return (
            f"{holds}, but reading should go on at {inbox.start}: inputs were deleted before they were decided, it was "
            "emptied, or it is another cluster's"
        )
    if decided >= inbox.end:
        return (
            f"{holds}, but the session log tells of inputs decided up to {decided}: it was emptied, or it is "
            "another cluster's"
        )
    return None
