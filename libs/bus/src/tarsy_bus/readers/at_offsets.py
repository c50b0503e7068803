"""Single records of a partition, read again where somebody has said that they lie."""

from collections import deque
from collections.abc import AsyncGenerator, Sequence

from aiokafka import TopicPartition

from tarsy_bus.acceptance import LogMismatchError
from tarsy_bus.client.connection import Bus
from tarsy_bus.client.record_parsing import UnparsableRecord
from tarsy_bus.errors import BusError
from tarsy_bus.readers.partition_reader import PartitionReader, Record


class RecordsGoneError(BusError):
    """One of the records is not there (any longer). The caller goes on without them."""


async def records_at(bus: Bus, topic: str, partition: int, offsets: Sequence[int]) -> AsyncGenerator[Record]:
    """The records at these ascending offsets, one after the other; nothing that lies between them is kept.

    Raises RecordsGoneError. It waits for Kafka as long as the caller does, who closes it (`aclosing`).
    """
    missing = deque(offsets)
    if not missing:
        return
    topic_partition = TopicPartition(topic, partition)
    async with PartitionReader(bus, topic).running() as follower:
        first = (await follower.consumer.beginning_offsets([topic_partition]))[topic_partition]
        end = (await follower.consumer.end_offsets([topic_partition]))[topic_partition]
        if missing[0] < first or missing[-1] >= end:
            raise RecordsGoneError(f"{topic} partition {partition} holds offsets {first} to {end}, not {list(offsets)}")
        follower.assign({partition: missing[0]})
        while missing:
            for record in await _read_records(follower):
                if record.offset == missing[0] and not isinstance(record, UnparsableRecord):
                    missing.popleft()
                    yield record
                if not missing:
                    return
            if await follower.consumer.position(topic_partition) > missing[0]:
                raise RecordsGoneError(f"{topic} partition {partition} has no record at offset {missing[0]}")


async def _read_records(follower: PartitionReader) -> list[Record]:
    """Records may be deleted while they are read."""
    try:
        return await follower.read()
    except LogMismatchError as problem:
        raise RecordsGoneError(str(problem)) from problem
