"""Start positions of the members of a consumer group, chosen by us and never by the client library.

A group that committed nothing yet begins at the beginning; new_groups lets it begin at the end. A committed offset that
its topic does not hold is refused, or gone past where that is harmless.
"""

import asyncio
from collections.abc import Collection, Mapping, Sequence

import structlog
from aiokafka import AIOKafkaConsumer, ConsumerRebalanceListener, TopicPartition
from aiokafka.errors import KafkaTimeoutError

from tarsy_bus.client.aiokafka_internals.cluster_metadata import leaders
from tarsy_bus.client.outages import passes
from tarsy_bus.client.tolerant_consumer import PositionLostError

log = structlog.get_logger(__name__)

LEADER_SECONDS = 10.0
"""aiokafka asks a leader that it cannot reach for 20 s, and nothing is read meanwhile."""
ASK_AGAIN_SECONDS = 10.0
"""After a leader that did not answer in time."""


def hold(consumer: AIOKafkaConsumer, assigned: Collection[TopicPartition]) -> None:
    """First in `on_partitions_assigned`, without an await before: nothing is read of these until somebody seeks.

    A position, which one does not matter, keeps the library from looking for one.
    """
    consumer.pause(*assigned)
    for topic_partition in assigned:
        consumer.seek(topic_partition, 0)


async def read_committed_offsets(
    consumer: AIOKafkaConsumer, topic_partitions: Collection[TopicPartition]
) -> dict[TopicPartition, int | None]:
    """The group's positions; None where it has none. Raises KafkaError."""
    return dict(
        zip(
            topic_partitions,
            await asyncio.gather(*(consumer.committed(topic_partition) for topic_partition in topic_partitions)),
            strict=True,
        )
    )


def start_position(committed: int | None, first: int, end: int) -> int | None:
    """None where the partition does not hold what was committed."""
    if committed is None:
        return first
    return committed if first <= committed <= end else None


class AssignedPartitions(ConsumerRebalanceListener):  # type: ignore[misc] # aiokafka is untyped
    """Holds what the group assigns, until `open` knows where each partition begins.

    With `may_skip`, skips records that were deleted before they were read, and logs it.
    """

    def __init__(self, consumer: AIOKafkaConsumer, *, may_skip: bool) -> None:
        self._consumer = consumer
        self._may_skip = may_skip
        self._held: frozenset[TopicPartition] = frozenset()
        self._unled: frozenset[TopicPartition] = frozenset()
        self._generation = 0
        self._ask_at = 0.0

    async def on_partitions_revoked(self, revoked: Collection[TopicPartition]) -> None:
        self._held = frozenset()
        self._generation += 1

    async def on_partitions_assigned(self, assigned: Collection[TopicPartition]) -> None:
        hold(self._consumer, assigned)
        self._held = frozenset(assigned)
        self._generation += 1
        self._ask_at = 0.0

    async def open(self) -> Mapping[TopicPartition, int]:
        """Before each read; nothing to do mostly. Returns the partitions of which reading began, and where.

        A partition without a leader stays held, and the others are read. Raises PositionLostError or KafkaError.
        """
        opened: dict[TopicPartition, int] = {}
        now = asyncio.get_running_loop().time()
        while self._held and now >= self._ask_at:
            generation, led = self._generation, self._update_leaders()
            starts = await self._read_starts(led) if led else {}
            # No await from here on, and nothing when a rebalance came in between.
            if generation != self._generation:
                continue
            for topic_partition, start in starts.items():
                self._consumer.seek(topic_partition, start)
                self._consumer.resume(topic_partition)
            self._held -= starts.keys()
            opened |= starts
            # Partitions without a leader are checked before each read, which costs nothing.
            self._ask_at = now + ASK_AGAIN_SECONDS if len(starts) < len(led) else 0.0
            break
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
        self._ask_at = 0.0

    def _update_leaders(self) -> dict[TopicPartition, int]:
        led = leaders(self._consumer, self._held)
        unled = self._held - led.keys()
        for topic_partition in unled - self._unled:
            log.warning("partition.without_leader", topic=topic_partition.topic, partition=topic_partition.partition)
        self._unled = unled
        return led

    async def _read_starts(self, led: Mapping[TopicPartition, int]) -> dict[TopicPartition, int]:
        """Those of partitions whose leader answers. Raises its error where none does."""
        committed = await read_committed_offsets(self._consumer, led)
        by_broker = [
            [topic_partition for topic_partition in led if led[topic_partition] == broker]
            for broker in set(led.values())
        ]
        answers = await asyncio.gather(*map(self._read_bounds, by_broker), return_exceptions=True)
        problems = [answer for answer in answers if isinstance(answer, BaseException)]
        if lasting := [problem for problem in problems if len(problems) == len(by_broker) or not passes(problem)]:
            raise lasting[0]
        bounds: dict[TopicPartition, tuple[int, int]] = {}
        for answer in answers:
            if isinstance(answer, BaseException):
                log.warning("partitions.not_opened", reason=repr(answer))
            else:
                bounds |= answer
        found = {
            topic_partition: start_position(committed[topic_partition], first, end)
            for topic_partition, (first, end) in bounds.items()
        }
        lost = {
            topic_partition: committed[topic_partition] for topic_partition, start in found.items() if start is None
        }
        if lost and not self._may_skip:
            raise PositionLostError(lost)
        for topic_partition, at in lost.items():
            first, _ = bounds[topic_partition]
            log.warning(
                "records.skipped",
                topic=topic_partition.topic,
                partition=topic_partition.partition,
                committed=at,
                first=first,
            )
        return {
            topic_partition: bounds[topic_partition][0] if start is None else start
            for topic_partition, start in found.items()
        }

    async def _read_bounds(self, topic_partitions: Sequence[TopicPartition]) -> dict[TopicPartition, tuple[int, int]]:
        """The offset of the first record, and that after the last. At once: each waits behind the open fetch."""
        asking = asyncio.gather(
            self._consumer.beginning_offsets(topic_partitions), self._consumer.end_offsets(topic_partitions)
        )
        try:
            async with asyncio.timeout(LEADER_SECONDS):
                first, end = await asking
        except TimeoutError as problem:
            raise KafkaTimeoutError(
                f"no answer within {LEADER_SECONDS:g} s from the leader of {topic_partitions}"
            ) from problem
        return {topic_partition: (first[topic_partition], end[topic_partition]) for topic_partition in topic_partitions}
