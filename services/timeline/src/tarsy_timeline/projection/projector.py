"""Reads the session log and keeps the rows: as one of several projectors that share its partitions."""

import asyncio
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime

import structlog
from aiokafka import TopicPartition
from aiokafka.abc import ConsumerRebalanceListener
from aiokafka.errors import KafkaError
from opentelemetry.trace import Tracer

from tarsy_bus.client.client_lifecycle import start_client, stop_client
from tarsy_bus.client.connection import Bus, member
from tarsy_bus.client.fetch_progress import FetchProgress, ignore_step
from tarsy_bus.client.outages import passes
from tarsy_bus.queues.lag import Lag, count_unread
from tarsy_bus.queues.start_positions import hold
from tarsy_bus.readers.partition_reader import POLL_MS, PartitionReader, Record, next_offset, poll
from tarsy_bus.readers.records import append_time
from tarsy_bus.retries import draw_growing_pauses
from tarsy_bus.topics.leaders import leaders
from tarsy_bus.tracing import record_read_span
from tarsy_timeline.metrics import Metrics
from tarsy_timeline.parts import Pauses
from tarsy_timeline.projection.checkpoint import PositionMovedError, ProjectionCheckpoint
from tarsy_timeline.projection.event_publisher import EventPublisher, EventsUnwritableError
from tarsy_timeline.projection.partition_projection import PartitionProjection, Publish, publish_nothing
from tarsy_timeline.projection.postgres_errors import is_of_the_database, reason_of
from tarsy_timeline.projection.resilient_writer import ResilientWriter
from tarsy_timeline.projection.same_log import check_same_log

log = structlog.get_logger(__name__)

type Note = Callable[[str], None]

PROJECTED_AT_ONCE = 500
"""Records of one read: their rows are made in one go, on the event loop that answers the API."""
GATHER_SECONDS = 0.05
"""How long records gather behind those that were projected: each batch is a transaction. The first is never held up."""
MOST_GATHER_SECONDS = 0.25
"""Records gather for twice the time that the last step took, up to this: while the machine is busy, transactions are
fewer and larger."""


@dataclass(slots=True)
class OwnPartition:
    """A partition of ours, and how far it is behind.

    `passed`: all records below are projected. It may lie behind the marker of a transaction, which is no record.
    """

    projection: PartitionProjection
    lag: Lag
    passed: int = 0

    @property
    def position(self) -> int:
        return self.projection.position


class Projector(ConsumerRebalanceListener):  # type: ignore[misc] # aiokafka is untyped
    """The group decides who reads which partition, the checkpoint from where: nothing is committed to Kafka.

    Two projectors on one partition do no harm: the checkpoint lets one of them through.
    """

    def __init__(
        self,
        bus: Bus,
        checkpoint: ProjectionCheckpoint,
        metrics: Metrics,
        tracer: Tracer,
        now: Callable[[], datetime],
        note: Note = lambda _: None,
        group: str = "timeline",
        publisher: EventPublisher | None = None,
    ) -> None:
        """`note` gets the reason why the projector waits, and an empty one when it goes on.

        Without a `publisher` nothing is published.
        """
        self._bus = bus
        self._topic = bus.topics.sessions
        self._checkpoint = checkpoint
        self._metrics = metrics
        self._tracer = tracer
        self._now = now
        self._note = note
        self._publisher = publisher
        self._pauses = Pauses()
        self._writer = ResilientWriter(checkpoint, metrics, now)
        self._partitions: dict[int, OwnPartition] = {}
        self._waiting: set[int] = set()
        self._assigned = False
        self._consumer = member(bus, f"{bus.topics.prefix}.{group}")
        self._fetches = FetchProgress(self._consumer)

    async def run(self, ready: Callable[[], None], heartbeat: Callable[[], None] = ignore_step) -> None:
        """Until it is cancelled. `heartbeat` is called while log and database answer.

        Raises LogMismatchError when the log is not the one that was projected so far."""
        self._consumer.subscribe([self._topic], listener=self)
        try:
            await start_client(self._consumer)
            pauses = draw_growing_pauses()
            while True:
                try:
                    await self._poll_and_project()
                    pauses = draw_growing_pauses()
                    if not self._waiting and self._fetches.take_answered():
                        heartbeat()
                except KafkaError as problem:
                    if not passes(problem):
                        raise
                    log.warning("projector.kafka_unreachable", reason=repr(problem))
                    self._rewind_consumer()
                    await asyncio.sleep(next(pauses))
                except EventsUnwritableError as problem:
                    log.warning("projector.events_unwritable", reason=str(problem))
                    await self._wait_before_retry(str(problem))
                except Exception as problem:
                    if not is_of_the_database(problem):
                        raise
                    log.warning("projector.database_unusable", reason=reason_of(problem))
                    await self._wait_before_retry(f"the database cannot be written: {reason_of(problem)}")
                if self._assigned and not self._waiting:
                    ready()
        finally:
            await stop_client(self._consumer)

    async def on_partitions_revoked(self, revoked: Collection[TopicPartition]) -> None:
        """Rebalances are eager: what was taken away is mostly given back. A running write may end: see
        ProjectionCheckpoint.write."""

    async def on_partitions_assigned(self, assigned: Collection[TopicPartition]) -> None:
        """Only notes them, as an exception in here would only be logged. Records come before this has ended."""
        hold(self._consumer, assigned)
        # Partitions above belong to nobody: somebody grew the topic.
        used = self._bus.layout.log_partitions
        numbers = {topic_partition.partition for topic_partition in assigned if topic_partition.partition < used}
        self._metrics.forget_others(numbers)
        self._partitions = {number: kept for number, kept in self._partitions.items() if number in numbers}
        self._waiting = numbers
        self._assigned = True
        log.info("projector.assigned", partitions=sorted(numbers))

    async def _poll_and_project(self) -> None:
        if self._waiting:
            await self._open_waiting()
        found = await poll(self._consumer, timeout_ms=POLL_MS, max_records=PROJECTED_AT_ONCE)
        began = asyncio.get_running_loop().time()
        for topic_partition, records in found.items():
            partition = self._partitions.get(topic_partition.partition)
            if partition is None or topic_partition.partition in self._waiting:
                continue
            try:
                await self._project_records(partition, records)
            except PositionMovedError as moved:
                self._metrics.conflicts.inc()
                log.info("projector.lost", reason=str(moved))
                self._drop_state([topic_partition.partition])
        await self._pass_markers()
        for number, partition in self._partitions.items():
            if self._count_unread(number, partition) == 0:
                partition.lag.mark_caught_up()
        if not self._waiting and not any(self._count_unread(*one) for one in self._partitions.items()):
            self._note_progress()
        if 0 < sum(map(len, found.values())) < PROJECTED_AT_ONCE:
            await asyncio.sleep(gather_seconds(asyncio.get_running_loop().time() - began))

    async def _pass_markers(self) -> None:
        """Once all that was read is projected."""
        for number, partition in list(self._partitions.items()):
            if number in self._waiting or self._count_unread(number, partition) == 0:
                continue
            position = await next_offset(self._consumer, TopicPartition(self._topic, number))
            if position is None:
                return
            if number not in self._waiting:
                partition.passed = position

    async def _wait_before_retry(self, reason: str) -> None:
        """Database or public topic are away, or refuse all there is: nothing is lost meanwhile, the log keeps it."""
        self._note(reason)
        self._drop_state(self._partitions)
        await self._pauses.wait()

    def _note_progress(self) -> None:
        self._pauses.reset()
        self._note("")

    def _drop_state(self, numbers: Collection[int]) -> None:
        """Drops the state of these: they begin again at the checkpoint."""
        again = set(numbers)
        self._partitions = {number: kept for number, kept in self._partitions.items() if number not in again}
        self._waiting |= again

    def _rewind_consumer(self) -> None:
        """Records that the failed step may have taken from the consumer come again."""
        assigned = self._consumer.assignment()
        for number, partition in self._partitions.items():
            if (topic_partition := TopicPartition(self._topic, number)) in assigned:
                self._consumer.seek(topic_partition, partition.position)

    async def _open_waiting(self) -> None:
        """Waiting partitions continue at the checkpoint, returned ones at their own position.

        One that nobody leads in Kafka goes on waiting by itself.
        """
        led = leaders(self._consumer, [TopicPartition(self._topic, number) for number in self._waiting])
        waiting = {topic_partition.partition for topic_partition in led}
        if not waiting:
            return
        kept = {number: self._partitions[number] for number in waiting if number in self._partitions}
        # Uses its own connection: on the consumer's, it would wait behind a fetch, half a second each time.
        async with PartitionReader(self._bus, self._topic).running() as follower:
            opened = {number: await self._checkpoint.position(number) for number in waiting - kept.keys()}
            await follower.check(opened | {number: partition.position for number, partition in kept.items()})
            both = kept.keys() | opened.keys()
            await check_same_log(follower, self._topic, await self._checkpoint.last_records(both))
            publish = await self._open_publications(follower, opened)
            for number, position in opened.items():
                projection = PartitionProjection(
                    number, position, self._checkpoint, self._writer, publish=publish[number]
                )
                kept[number] = OwnPartition(projection, Lag(self._now))
        # No await from here on. A rebalance may have come in between: on_partitions_assigned noted what is ours now.
        for number in self._waiting & kept.keys():
            topic_partition = TopicPartition(self._topic, number)
            self._partitions[number] = kept[number]
            self._watch_lag(number, kept[number])
            self._consumer.seek(topic_partition, kept[number].position)
            self._consumer.resume(topic_partition)
        self._waiting -= kept.keys()

    async def _open_publications(self, follower: PartitionReader, numbers: Collection[int]) -> dict[int, Publish]:
        if self._publisher is None:
            return dict.fromkeys(numbers, publish_nothing)
        opened = await self._publisher.open(follower, numbers)
        return {number: one.publish for number, one in opened.items()}

    async def _project_records(self, partition: OwnPartition, records: list[Record]) -> None:
        """After any failure the partition is opened again, at the checkpoint."""
        projected = await partition.projection.publish_and_write(records)
        if not (projected.accepted or projected.dropped):
            return
        self._note_progress()
        partition.lag.read(append_time(records[-1]))
        now = self._now()
        for record in projected.accepted:
            record_read_span(self._tracer, "project", record, now)
        types = Counter(record.envelope.type for record in projected.accepted)
        self._metrics.count_projected(types, dropped=projected.dropped)

    def _count_unread(self, number: int, partition: OwnPartition) -> int:
        position = max(partition.position, partition.passed)
        return count_unread(self._consumer, TopicPartition(self._topic, number), position)

    def _watch_lag(self, number: int, partition: OwnPartition) -> None:
        self._metrics.watch(
            number,
            records=lambda: self._count_unread(number, partition),
            seconds=lambda: partition.lag.seconds(self._count_unread(number, partition)),
        )


def gather_seconds(step_seconds: float) -> float:
    """How long records gather after a step that took so long."""
    return min(max(GATHER_SECONDS, 2 * step_seconds), MOST_GATHER_SECONDS)
