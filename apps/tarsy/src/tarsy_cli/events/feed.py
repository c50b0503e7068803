"""The public topic as the command reads it: each event once, as one JSON object."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from pydantic import JsonValue

from tarsy_bus.client.connection import Bus
from tarsy_bus.readers.partition_reader import PartitionReader, Record
from tarsy_bus.topics.cluster_layout import read_recorded_partitions
from tarsy_contracts.public.duplicates import LastSequences
from tarsy_contracts.public.envelope import PublicEnvelope
from tarsy_contracts.wire.envelope import EnvelopeError
from tarsy_contracts.wire.partitioning import partition_of
from tarsy_contracts.wire.topics import LOG_PARTITIONS

PREFIX = "tarsy."

type StructuredEvent = dict[str, JsonValue]


@dataclass
class EventFilter:
    """`session`: an id or its beginning. `types`: such as `session.*`, with or without `tarsy.`; none is all."""

    session: str = ""
    types: tuple[str, ...] = ()
    _last: LastSequences = field(default_factory=LastSequences)

    def take(self, record: Record) -> StructuredEvent | None:
        """None of a repeat, of an event that is not wanted, and of a record of strangers."""
        try:
            envelope = PublicEnvelope.from_headers(record.headers)
            if not self._last.take(envelope.subject, envelope.sequence) or not self._is_wanted(envelope):
                return None
            return envelope.to_structured(record.value or b"")
        except (EnvelopeError, ValueError):
            return None

    def _is_wanted(self, envelope: PublicEnvelope) -> bool:
        if not envelope.subject.startswith(self.session):
            return False
        short = envelope.type.removeprefix(PREFIX)
        return not self.types or any(fnmatchcase(short, type.removeprefix(PREFIX)) for type in self.types)


async def read_kept_events(bus: Bus, wanted: EventFilter) -> AsyncGenerator[StructuredEvent]:
    """All that the topic has now; it ends at its end. Raises KafkaError."""
    async with PartitionReader(bus, bus.topics.events).running() as reader:
        partitions = await reader.partitions()
        async with aclosing(_read_kept(reader, partitions, wanted)) as found:
            async for event in found:
                yield event


async def follow_events(bus: Bus, wanted: EventFilter, *, from_beginning: bool) -> AsyncGenerator[StructuredEvent]:
    """Events as they come, without an end, or also those that are there. Raises KafkaError at first."""
    async with PartitionReader(bus, bus.topics.events).running() as reader:
        partitions = await reader.partitions()
        reader.assign(await (reader.firsts(partitions) if from_beginning else reader.ends(partitions)))
        while True:
            for record in await reader.next():
                if (event := wanted.take(record)) is not None:
                    yield event


async def events_of(bus: Bus, session_id: str) -> list[StructuredEvent]:
    """All public events of a session that the topic still keeps, in order. Raises KafkaError."""
    number = partition_of(session_id.encode(), await read_recorded_partitions(bus) or LOG_PARTITIONS)
    async with PartitionReader(bus, bus.topics.events).running() as reader:
        return [event async for event in _read_kept(reader, [number], EventFilter(session_id))]


async def _read_kept(
    reader: PartitionReader, partitions: list[int], wanted: EventFilter
) -> AsyncGenerator[StructuredEvent]:
    starts, ends = await reader.firsts(partitions), await reader.ends(partitions)
    async with aclosing(reader.between(starts, ends)) as batches:
        async for records in batches:
            for record in records:
                if (event := wanted.take(record)) is not None:
                    yield event
