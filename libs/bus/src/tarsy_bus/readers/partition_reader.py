"""Reading partitions without a group: once to their end, or on and on from known positions."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Mapping
from contextlib import aclosing, asynccontextmanager, suppress

from aiokafka import AIOKafkaConsumer, ConsumerRecord, TopicPartition
from aiokafka.errors import IllegalStateError, TopicAuthorizationFailedError

from tarsy_bus.acceptance import LogMismatchError
from tarsy_bus.client.client_lifecycle import check_alive, start_client, stop_client
from tarsy_bus.client.connection import Bus, reader
from tarsy_bus.client.fetch_progress import FetchProgress, ignore_step
from tarsy_bus.client.outages import wait_out
from tarsy_bus.client.record_parsing import UnparsableRecord
from tarsy_bus.client.whole_batches import WholeBatches

POLL_MS = 500
READ_RECORDS = 2_000

type Record = ConsumerRecord[bytes, bytes]
type MakeConsumer = Callable[[Bus], AIOKafkaConsumer]


async def ends(bus: Bus, topic: str, partitions: list[int] | None = None) -> dict[int, int]:
    """The offset after the last record of each partition, now. Without `partitions`: of all that the topic has."""
    consumer = reader(bus)
    try:
        await start_client(consumer)
        if partitions is None:
            partitions = await all_partitions(consumer, topic)
        found = await consumer.end_offsets([TopicPartition(topic, partition) for partition in partitions])
    finally:
        await stop_client(consumer)
    return {topic_partition.partition: offset for topic_partition, offset in found.items()}


async def all_partitions(consumer: AIOKafkaConsumer, topic: str) -> list[int]:
    """Those that an existing topic has now. Raises KafkaError."""
    # Its client knows a topic once it was asked about it.
    await consumer.end_offsets([TopicPartition(topic, 0)])
    return sorted(consumer.partitions_for_topic(topic) or ())


async def read_to_end(
    bus: Bus,
    topic: str,
    starts: Mapping[int, int],
    take: Callable[[Record], None],
    *,
    until: Mapping[int, int] | None = None,
) -> None:
    """Hands every record from `starts` (partition to offset) to `take`, in order, up to the end as it is now.

    `until` (exclusive offsets) ends earlier. A start below the first record that is kept begins there.
    """
    async with aclosing(records_to_end(bus, topic, starts, until=until)) as found:
        async for records in found:
            for record in records:
                take(record)


async def records_to_end(
    bus: Bus,
    topic: str,
    starts: Mapping[int, int],
    *,
    until: Mapping[int, int] | None = None,
    consumer: MakeConsumer = reader,
) -> AsyncGenerator[list[Record]]:
    """The same, some records at a time. The caller closes it (`aclosing`) where it may leave early."""
    if not starts:
        return
    async with PartitionReader(bus, topic, consumer=consumer).running() as follower:
        topic_partitions = [TopicPartition(topic, partition) for partition in starts]
        first = await follower.consumer.beginning_offsets(topic_partitions)
        last = await follower.consumer.end_offsets(topic_partitions)
        goals = {
            topic_partition.partition: min(
                last[topic_partition], (until or {}).get(topic_partition.partition, last[topic_partition])
            )
            for topic_partition in topic_partitions
        }
        positions = {
            topic_partition.partition: max(starts[topic_partition.partition], first[topic_partition])
            for topic_partition in topic_partitions
        }
        async with aclosing(follower.between(positions, goals)) as found:
            async for records in found:
                yield records


def _first_offset(record: Record) -> int:
    return record.first_offset if isinstance(record, WholeBatches) else record.offset


class PartitionReader:
    """One consumer for any number of partitions of one topic. `stepped` is called when brokers answered its reads."""

    def __init__(
        self,
        bus: Bus,
        topic: str,
        heartbeat: Callable[[], None] = ignore_step,
        *,
        consumer: MakeConsumer = reader,
    ) -> None:
        self._topic = topic
        self._is_the_truth = topic in (bus.topics.sessions, bus.topics.heads)
        self.consumer: AIOKafkaConsumer = consumer(bus)
        self._fetches = FetchProgress(self.consumer)
        self._heartbeat = heartbeat

    @asynccontextmanager
    async def running(self) -> AsyncIterator["PartitionReader"]:
        try:
            await start_client(self.consumer)
            yield self
        finally:
            await stop_client(self.consumer)

    def assign(self, positions: Mapping[int, int]) -> None:
        """Reads exactly these partitions, each from its position. Replaces what was assigned before.

        `assign` forgets all positions: it and the seeks go in one breath, without an await.
        """
        self.consumer.assign([TopicPartition(self._topic, partition) for partition in positions])
        for partition, offset in positions.items():
            self.consumer.seek(TopicPartition(self._topic, partition), offset)

    async def firsts(self, partitions: Iterable[int]) -> dict[int, int]:
        """The offset of the first record that each partition keeps. Waits for Kafka, however long it is away."""
        topic_partitions = [TopicPartition(self._topic, partition) for partition in partitions]
        what = f"the beginning of {self._topic}"
        found = await wait_out(what, lambda: self.consumer.beginning_offsets(topic_partitions))
        return {topic_partition.partition: offset for topic_partition, offset in found.items()}

    async def ends(self, partitions: Iterable[int]) -> dict[int, int]:
        """The offset after the last record of each partition. Waits for Kafka, however long it is away."""
        topic_partitions = [TopicPartition(self._topic, partition) for partition in partitions]
        found = await wait_out(f"the end of {self._topic}", lambda: self.consumer.end_offsets(topic_partitions))
        return {topic_partition.partition: offset for topic_partition, offset in found.items()}

    async def partitions(self) -> list[int]:
        """All that the topic has now. Waits for Kafka, however long it is away."""
        return await wait_out(f"the partitions of {self._topic}", lambda: all_partitions(self.consumer, self._topic))

    async def position(self, partition: int) -> int:
        """The offset of the next record. Waits for Kafka, however long it is away."""
        topic_partition = TopicPartition(self._topic, partition)
        offset: int = await wait_out(f"the position in {self._topic}", lambda: self.consumer.position(topic_partition))
        return offset

    async def next(self) -> list[Record]:
        """Like `read`, for an endless reader: waits through outages of Kafka, and skips nothing."""
        records = await wait_out(f"records of {self._topic}", self.read)
        if self._fetches.take_answered():
            self._heartbeat()
        return records

    async def check(self, positions: Mapping[int, int]) -> None:
        """Raises LogMismatchError when a position lies outside of what its partition holds."""
        for reason in (await self.misfits(positions)).values():
            raise LogMismatchError(reason)

    async def misfits(self, positions: Mapping[int, int]) -> dict[int, str]:
        """A sentence for each partition that does not hold the position. Raises KafkaError."""
        topic_partitions = [TopicPartition(self._topic, partition) for partition in positions]
        first = await self.consumer.beginning_offsets(topic_partitions)
        last = await self.consumer.end_offsets(topic_partitions)
        return {
            owned.partition: f"{self._topic} partition {owned.partition} holds offsets {first[owned]} to "
            f"{last[owned]}, but reading should go on at {positions[owned.partition]}: it was emptied, or it is "
            "another cluster's"
            for owned in topic_partitions
            if not first[owned] <= positions[owned.partition] <= last[owned]
        }

    async def between(self, starts: Mapping[int, int], goals: Mapping[int, int]) -> AsyncGenerator[list[Record]]:
        """All records from each start up to before its goal, some at a time. The log holds offsets up to the goals.

        The caller closes it (`aclosing`) where it may leave early.
        """
        left = {partition: goals[partition] - start for partition, start in starts.items() if start < goals[partition]}
        if left:
            self.assign({partition: starts[partition] for partition in left})
        while left:
            records = await self.read(sum(left.values()))
            yield [record for record in records if _first_offset(record) < goals[record.partition]]
            # Records that are here already are read without a pause: others have their turn in between.
            await asyncio.sleep(0)
            for partition in list(left):
                left[partition] = goals[partition] - await self.consumer.position(
                    TopicPartition(self._topic, partition)
                )
                if left[partition] <= 0:
                    del left[partition]

    async def read(self, most: int = READ_RECORDS) -> list[Record]:
        """The next records, in order within each partition; none after POLL_MS. Raises LogMismatchError."""
        if not self.consumer.assignment():
            await asyncio.sleep(POLL_MS / 1000)
            return []
        found = await poll(self.consumer, timeout_ms=POLL_MS, max_records=min(most, READ_RECORDS))
        records = [record for records in found.values() for record in records]
        if self._is_the_truth:
            refuse_damaged(records)
        return records


def refuse_damaged(records: Iterable[Record]) -> None:
    """Raises LogMismatchError where a record of ours may be damaged: another reader may have taken it in as it was.

    A record that is whole, and still cannot be parsed, is none of ours. All readers pass over it, as they drop
    everything else that strangers write to the log.
    """
    for record in records:
        if isinstance(record, UnparsableRecord) and record.damaged:
            raise LogMismatchError(
                f"{record.topic} partition {record.partition} is damaged at offset {record.first_offset}: "
                f"{record.problem}"
            )


async def next_offset(consumer: AIOKafkaConsumer, topic_partition: TopicPartition) -> int | None:
    """The next offset that it reads, which may lie behind offsets that hold no record: markers of transactions.

    None where a rebalance took the partition away.
    """
    try:
        return int(await consumer.position(topic_partition))
    except IllegalStateError:
        return None


async def poll(
    consumer: AIOKafkaConsumer, *topic_partitions: TopicPartition, timeout_ms: int, max_records: int
) -> dict[TopicPartition, list[Record]]:
    """The next records of a consumer, of these partitions or else of all that it reads.

    Raises KafkaError, also when the consumer reads no more.
    """
    check_alive(consumer)
    try:
        found: dict[TopicPartition, list[Record]] = await consumer.getmany(
            *topic_partitions, timeout_ms=timeout_ms, max_records=max_records
        )
    except TopicAuthorizationFailedError as refusal:
        return await _poll_past_refusals(consumer, max_records, refusal)
    return found


async def _poll_past_refusals(
    consumer: AIOKafkaConsumer, max_records: int, refusal: TopicAuthorizationFailedError
) -> dict[TopicPartition, list[Record]]:
    """Records of partitions that we may read. Raises the refusal if there are none.

    aiokafka keeps a refusal for each partition and raises one at each call. Callers would see them long after the right
    is back.
    """
    for _ in consumer.assignment():
        with suppress(TopicAuthorizationFailedError):
            found: dict[TopicPartition, list[Record]] = await consumer.getmany(timeout_ms=0, max_records=max_records)
            if found:
                return found
            break
    raise refusal
