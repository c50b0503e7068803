"""The cluster's layout on record: the number of partitions of inbox, log and heads, decided once."""

from datetime import UTC, datetime

import structlog

from tarsy_bus.connection import Bus
from tarsy_bus.partition_reader import Record, read_to_end
from tarsy_bus.publisher import Publisher
from tarsy_bus.records import delivery
from tarsy_contracts.envelope import EnvelopeError
from tarsy_contracts.layout import ClusterLayout
from tarsy_contracts.recorded import UnknownTypeError, UnreadableValueError

log = structlog.get_logger(__name__)

KINDS = {ClusterLayout.type: ClusterLayout}
KEY = "log"
SOURCE = "tarsy/topics-apply"
"""The source of the record, whichever process applies the topics: the decision is the operator's."""


async def recorded_partitions(bus: Bus) -> int | None:
    """The first record counts: of two that are written at once, all readers take the same. Raises KafkaError."""
    found: list[int] = []

    def take(record: Record) -> None:
        try:
            found.append(delivery(record).decode(KINDS).log_partitions)
        except (EnvelopeError, UnknownTypeError, UnreadableValueError) as problem:
            log.warning("layout.unreadable", offset=record.offset, reason=str(problem))

    await read_to_end(bus, bus.topics.layout, {0: 0}, take)
    return found[0] if found else None


async def record_partitions(bus: Bus, number: int) -> None:
    """Raises NotWrittenError or KafkaError."""
    async with Publisher(bus, source=SOURCE, now=lambda: datetime.now(UTC)).running() as publisher:
        layout = ClusterLayout(log_partitions=number)
        await publisher.publish(bus.topics.layout, layout, key=KEY, id=KEY, subject=KEY, partition=0)
