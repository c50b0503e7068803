"""How far the public topic has the session log: read from the last records of its own partitions."""

from collections.abc import Collection
from contextlib import aclosing
from dataclasses import dataclass

from tarsy_bus.client.connection import Bus
from tarsy_bus.readers.partition_reader import PartitionReader, Record
from tarsy_contracts.public.envelope import PublicEnvelope
from tarsy_contracts.wire.envelope import EnvelopeError

LOOK_BACK = 100
"""Records at the end of a partition that are looked at: strangers and replaced projectors may write there, too."""


@dataclass(frozen=True, slots=True)
class LastPublished:
    """The event's offset in the same partition of the session log, and its id."""

    log_offset: int
    event_id: str


async def read_last_published(bus: Bus, partitions: Collection[int]) -> dict[int, LastPublished]:
    """All accepted events of a partition up to the returned one were published; none is of one without public events.

    Raises KafkaError, and waits while Kafka is away.
    """
    found: dict[int, LastPublished] = {}
    async with PartitionReader(bus, bus.topics.events).running() as reader:
        firsts, ends = await reader.firsts(partitions), await reader.ends(partitions)
        starts = {number: max(firsts[number], ends[number] - LOOK_BACK) for number in partitions}
        async with aclosing(reader.between(starts, ends)) as batches:
            async for records in batches:
                for record in records:
                    _keep_highest(found, record)
    return found


def _keep_highest(found: dict[int, LastPublished], record: Record) -> None:
    """The highest counts: a projector that was replaced may write old events late."""
    try:
        envelope = PublicEnvelope.from_headers(record.headers)
    except EnvelopeError:
        return
    known = found.get(record.partition)
    if known is None or known.log_offset < envelope.log_offset:
        found[record.partition] = LastPublished(envelope.log_offset, envelope.id)
