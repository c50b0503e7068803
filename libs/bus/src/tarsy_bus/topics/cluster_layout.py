"""The cluster's layout on record: the number of partitions of inbox, log and heads, decided once."""

import asyncio
from datetime import UTC, datetime

import structlog

from tarsy_bus.client.connection import Bus
from tarsy_bus.client.publisher import NotWrittenError, Publisher, was_not_written
from tarsy_bus.readers.partition_reader import Record, read_to_end
from tarsy_bus.readers.records import delivery
from tarsy_bus.retries import retry
from tarsy_contracts.events.recorded import UnknownTypeError, UnreadableValueError
from tarsy_contracts.messages.layout import ClusterLayout
from tarsy_contracts.wire.envelope import EnvelopeError

log = structlog.get_logger(__name__)

KINDS = {ClusterLayout.type: ClusterLayout}
KEY = "log"
SOURCE = "tarsy/topics-apply"
"""The source of the record, whichever process applies the topics: the decision is the operator's."""

RECORD_SECONDS = 90.0
"""A broker that has just made all topics may take long for the first write."""


async def read_recorded_partitions(bus: Bus) -> int | None:
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
    """Writes it until Kafka has it: of two records the first counts. Raises NotWrittenError or KafkaError."""
    layout = ClusterLayout(log_partitions=number)

    def failed(problem: Exception, pause: float) -> None:
        log.warning("layout.not_written", reason=str(problem), pause_seconds=round(pause, 1))

    async with Publisher(bus, source=SOURCE, now=lambda: datetime.now(UTC)).running() as publisher:
        try:
            async with asyncio.timeout(RECORD_SECONDS):
                await retry(
                    lambda: publisher.publish(bus.topics.layout, layout, key=KEY, id=KEY, subject=KEY, partition=0),
                    passes=was_not_written,
                    failed=failed,
                )
        except TimeoutError as problem:
            raise NotWrittenError(f"{bus.topics.layout}: not within {RECORD_SECONDS:g} seconds") from problem
