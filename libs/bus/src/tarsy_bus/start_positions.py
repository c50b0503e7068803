"""Start positions of the members of a consumer group, chosen by us and never by the client library.

A group that committed nothing yet begins at the beginning. A committed offset that its topic does not hold is refused,
or gone past where that is harmless.
"""

import asyncio
from collections.abc import Collection, Mapping

import structlog
from aiokafka import AIOKafkaConsumer, ConsumerRebalanceListener, TopicPartition

from tarsy_bus.tolerant_consumer import PositionLostError

log = structlog.get_logger(__name__)


def hold(consumer: AIOKafkaConsumer, assigned: Collection[TopicPartition]) -> None:
    """First in `on_partitions_assigned`, without an await before: nothing is read of these until somebody seeks.

    A position, which one does not matter, keeps the library from looking for one.
    """
    consumer.pause(*assigned)
    for place in assigned:
        consumer.seek(place, 0)


async def committed_offsets(
    consumer: AIOKafkaConsumer, places: Collection[TopicPartition]
) -> dict[TopicPartition, int | None]:
    """Where the group goes on; None where it never was. Raises KafkaError."""
    return dict(zip(places, await asyncio.gather(*(consumer.committed(place) for place in places)), strict=True))


def start_position(committed: int | None, first: int, end: int) -> int | None:
    """None where the partition does not hold what was committed."""
    if committed is None:
        return first
    return committed if first <= committed <= end else None


class AssignedPartitions(ConsumerRebalanceListener):  # type: ignore[misc] # aiokafka is untyped
    """Holds what the group assigns, until `open` knows where each partition begins.

    With `may_skip`, records that were deleted before they were read are gone past, with a line in the log.
    """

    def __init__(self, consumer: AIOKafkaConsumer, *, may_skip: bool) -> None:
        self._consumer = consumer
        self._may_skip = may_skip
        self._held: frozenset[TopicPartition] = frozenset()
        self._generation = 0

    async def on_partitions_revoked(self, revoked: Collection[TopicPartition]) -> None:
        self._held = frozenset()
        self._generation += 1

    async def on_partitions_assigned(self, assigned: Collection[TopicPartition]) -> None:
        hold(self._consumer, assigned)
        self._held = frozenset(assigned)
        self._generation += 1

    async def open(self) -> Mapping[TopicPartition, int]:
        """Before each read; nothing to do mostly. Returns the partitions of which reading began, and where.

        Raises PositionLostError or KafkaError.
        """
        opened: dict[TopicPartition, int] = {}
        while self._held:
            generation, held = self._generation, self._held
            starts = await self._starts(held)
            # No await from here on, and nothing when a rebalance came in between.
            if generation == self._generation:
                for place, start in starts.items():
                    self._consumer.seek(place, start)
                    self._consumer.resume(place)
                self._held = frozenset()
                opened |= starts
        return opened

    def skip(self, lost: PositionLostError) -> None:
        """After a read that raised it: these are opened again, from what is committed or from the first record on.

        Raises it where nothing may be skipped.
        """
        if not self._may_skip:
            raise lost
        again = lost.places.keys() & self._consumer.assignment()
        hold(self._consumer, again)
        self._held |= again

    async def _starts(self, held: Collection[TopicPartition]) -> dict[TopicPartition, int]:
        committed = await committed_offsets(self._consumer, held)
        first = await self._consumer.beginning_offsets(list(held))
        end = await self._consumer.end_offsets(list(held))
        found = {place: start_position(committed[place], first[place], end[place]) for place in held}
        lost = {place: committed[place] for place, start in found.items() if start is None}
        if lost and not self._may_skip:
            raise PositionLostError(lost)
        for place, at in lost.items():
            log.warning(
                "records.skipped", topic=place.topic, partition=place.partition, committed=at, first=first[place]
            )
        return _complete(found, first)


def _complete(
    found: Mapping[TopicPartition, int | None], first: Mapping[TopicPartition, int]
) -> dict[TopicPartition, int]:
    return {place: first[place] if start is None else start for place, start in found.items()}
