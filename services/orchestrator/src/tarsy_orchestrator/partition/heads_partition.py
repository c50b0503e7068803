"""Guard of the heads topic's partition: a topic that was emptied, or made anew, gets no head from its owner.

Such a topic lists only sessions that come to rest from now on. The next owner would start after the others, and an
alert for one of them would restart it with number 1. An empty topic does no harm: its next owner reads the whole
log, and writes all heads again.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from aiokafka import TopicPartition

from tarsy_bus.acceptance import LogMismatchError
from tarsy_bus.client.connection import Bus
from tarsy_bus.readers.partition_reader import PartitionReader

FRESH_SECONDS = 0.1
"""A write that was acknowledged so lately says as much as a question, which takes longer than a write."""

type EndOf = Callable[[TopicPartition], Awaitable[int]]
"""Asks Kafka for the offset after the partition's last record."""


class HeadsPartition:
    """`end`: the offset after the last record that the owner has read there. A partition's end never goes back."""

    def __init__(
        self, topic_partition: TopicPartition, *, end: int, end_of: EndOf, monotonic: Callable[[], float]
    ) -> None:
        self.place = topic_partition
        self._end = end
        self._read_end_of = end_of
        self._monotonic = monotonic
        self._written_at: float | None = None

    async def check(self) -> None:
        """Before a write. Raises LogMismatchError, or KafkaError while Kafka is away."""
        if self._written_at is not None and self._monotonic() - self._written_at < FRESH_SECONDS:
            return
        present = await self._read_end_of(self.place)
        if present < self._end:
            raise LogMismatchError(
                f"{self._partition_name} ends at {present}, but it has held records up to offset {self._end - 1}: "
                "it was emptied, or made anew. Nothing was written to it; the next start reads the sessions from the "
                "log"
            )

    def note_write(self, offset: int) -> None:
        """After a write. Raises LogMismatchError: the topic was made anew while the record was on its way."""
        if offset < self._end:
            raise LogMismatchError(
                f"{self._partition_name} took a head at offset {offset}, but it has held records up to offset "
                f"{self._end - 1}: it was emptied, or made anew. Stop all orchestrators, delete the topic, run "
                "`tarsy topics apply`, then start them: they read the sessions from the log"
            )
        self._end = offset + 1
        self._written_at = self._monotonic()

    @property
    def _partition_name(self) -> str:
        return f"{self.place.topic} partition {self.place.partition}"


class HeadsTopic:
    """The partitions of one process ask with one client. It reads nothing: on one that fetches, a question waits."""

    def __init__(self, bus: Bus, monotonic: Callable[[], float]) -> None:
        self._topic = bus.topics.heads
        self._reader = PartitionReader(bus, bus.topics.heads)
        self._monotonic = monotonic

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        async with self._reader.running():
            yield

    def partition(self, number: int, *, end: int) -> HeadsPartition:
        topic_partition = TopicPartition(self._topic, number)
        return HeadsPartition(topic_partition, end=end, end_of=self._read_end_of, monotonic=self._monotonic)

    async def _read_end_of(self, topic_partition: TopicPartition) -> int:
        end: int = (await self._reader.consumer.end_offsets([topic_partition]))[topic_partition]
        return end
