"""Consumer of one topic in a group, as FastStream reads from it: record by record, with positions that are ours.

Outages, rebalances and lost positions are handled here: FastStream would log them, sleep and read on.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping

import structlog
from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.errors import ConsumerStoppedError, IllegalStateError, KafkaConnectionError, KafkaError

from tarsy_bus.client.client_lifecycle import start_client, stop_client
from tarsy_bus.client.connection import Bus, member
from tarsy_bus.client.fetch_progress import FetchProgress, ignore_step
from tarsy_bus.client.outages import passes
from tarsy_bus.client.tolerant_consumer import PositionLostError
from tarsy_bus.errors import BusError
from tarsy_bus.queues.start_positions import AssignedPartitions
from tarsy_bus.readers.partition_reader import Record, next_offset, poll
from tarsy_bus.retries import draw_growing_pauses, retry

log = structlog.get_logger(__name__)

POLL_MS = 500
MOST_AT_ONCE = 100
LONGEST_COMMIT_SECONDS = 2.0
"""aiokafka waits 20 s for an answer, and without end for a coordinator that is away or loads. Nothing is read then,
though the brokers of the topic may well answer.
"""
PAUSE_OF_COMMITS_SECONDS = 10.0
"""After a commit without an answer in time."""
LAST_COMMIT_SECONDS = 2.0
REBALANCED = (IllegalStateError,)
"""Errors of a commit whose partition was taken away meanwhile, beside errors that pass."""


class NotHandedOverError(BusError):
    """A record was read, and nobody says what became of it. We have a mistake to find; reading ends before it."""


class GroupConsumer:
    """Ends with a record that was not handed over, and with an error that does not pass: `problem` is why."""

    def __init__(
        self,
        bus: Bus,
        topic: str,
        group: str,
        *,
        may_skip: bool,
        commit_seconds: float,
        opened: Callable[[], None] = ignore_step,
        heartbeat: Callable[[], None] = ignore_step,
    ) -> None:
        """With `may_skip`, skips records that were deleted before they were read.

        `opened` is called when it is known where reading begins: the first fetch of a quiet topic takes seconds.
        """
        self.topic = topic
        self._consumer = member(bus, group)
        self._assigned = AssignedPartitions(self._consumer, may_skip=may_skip)
        self._commits = _Commits(self._consumer, commit_seconds)
        self._fetches = FetchProgress(self._consumer)
        self._opened = opened
        self._heartbeat = heartbeat
        self._pauses = draw_growing_pauses()
        self._partitions: deque[list[Record]] = deque()
        self._records: Iterator[Record] = iter(())
        self._given: Record | None = None
        self.problem: Exception | None = None

    def subscribe(self, *, topics: Collection[str], pattern: None, listener: None) -> None:
        """The listener of FastStream, which only logs, gives way to ours."""
        self._consumer.subscribe(list(topics), listener=self._assigned)

    async def start(self) -> None:
        """Waits for Kafka, however long it is away: what the service has built up by now would end with it."""
        await retry(
            lambda: start_client(self._consumer),
            # So ends an attempt to reach a broker, after which another one may be made.
            passes=lambda problem: isinstance(problem, KafkaConnectionError),
            failed=self._note_wait,
        )

    async def stop(self) -> None:
        await self._commits.commit_at_last()
        await stop_client(self._consumer)

    async def getone(self) -> Record:
        """Raises ConsumerStoppedError, which ends FastStream's reading, and nothing else."""
        try:
            if self.problem is not None:
                raise self.problem
            if self._given is not None:
                position = f"{self._given.topic} partition {self._given.partition} at {self._given.offset}"
                raise NotHandedOverError(f"nobody took the record of {position}, and nobody refused it")
            self._given = await self._next_record()
        except Exception as problem:
            self.problem = problem
            raise ConsumerStoppedError from problem
        return self._given

    def mark_handed_over(self, record: Record) -> None:
        self._given = None
        self._commits.mark_handed_over(record)

    def fail(self, problem: Exception) -> None:
        """Nothing more is read."""
        self.problem = problem

    async def _next_record(self) -> Record:
        while (record := next(self._records, None)) is None:
            await self._commits.commit_when_due({_partition_of(records[0]) for records in self._partitions})
            if not self._partitions:
                await self._fetch_records()
            self._records = iter(self._partitions.popleft() if self._partitions else ())
        return record

    async def _fetch_records(self) -> None:
        try:
            if starts := await self._assigned.open():
                self._commits.begin(starts)
                self._opened()
            found = await poll(self._consumer, timeout_ms=POLL_MS, max_records=MOST_AT_ONCE)
        except PositionLostError as lost:
            self._assigned.skip(lost)
        except KafkaError as problem:
            if not _is_passing(problem):
                raise
            self._note_wait(problem, pause := next(self._pauses))
            await asyncio.sleep(pause)
        else:
            self._partitions.extend(found.values())
            self._pauses = draw_growing_pauses()
            if self._fetches.take_answered():
                self._heartbeat()
            # A full queue is handed over without a pause: others have their turn in between.
            await asyncio.sleep(0)

    def _note_wait(self, problem: Exception, pause: float) -> None:
        what = f"records of {self.topic}"
        log.warning("kafka.waited_for", what=what, reason=repr(problem), pause_seconds=round(pause, 1))


class _Commits:
    """Up to where nothing is left to hand over, of the partitions that are still ours."""

    def __init__(self, consumer: AIOKafkaConsumer, seconds: float) -> None:
        self._consumer = consumer
        self._seconds = seconds
        self._offsets: dict[TopicPartition, int] = {}
        self._next_record: dict[TopicPartition, int] = {}
        self._due = 0.0

    def begin(self, starts: Mapping[TopicPartition, int]) -> None:
        """Reading of these partitions begins there."""
        self._next_record |= starts

    def mark_handed_over(self, record: Record) -> None:
        self._move_to(_partition_of(record), record.offset + 1)

    async def commit_when_due(self, in_hand: Collection[TopicPartition]) -> None:
        """`in_hand`: the partitions of which records were read that nobody was handed yet.

        Raises KafkaError where it does not pass; else, uncommitted records come again, here or elsewhere.
        """
        now = asyncio.get_running_loop().time()
        if now < self._due:
            return
        self._due = now + self._seconds
        await self._pass_markers(in_hand)
        if not self._offsets:
            return
        try:
            async with asyncio.timeout(LONGEST_COMMIT_SECONDS):
                await self._commit_offsets()
        except TimeoutError:
            self._due = now + PAUSE_OF_COMMITS_SECONDS
            log.warning("offsets.not_committed", reason=f"no answer within {LONGEST_COMMIT_SECONDS:g} s")
        except KafkaError as problem:
            if not _is_passing(problem):
                raise
            log.warning("offsets.not_committed", reason=repr(problem))

    async def commit_at_last(self) -> None:
        try:
            async with asyncio.timeout(LAST_COMMIT_SECONDS):
                await self._commit_offsets()
        except (KafkaError, TimeoutError) as problem:
            log.warning("offsets.not_committed", reason=repr(problem))

    async def _pass_markers(self, in_hand: Collection[TopicPartition]) -> None:
        """A transaction ends with an offset without a record: autoscaling by lag would see one for ever."""
        for topic_partition in self._next_record.keys() & self._consumer.assignment() - set(in_hand):
            position = await next_offset(self._consumer, topic_partition)
            if position is None:
                return
            # A held partition has no position yet.
            if topic_partition not in self._consumer.paused() and position > self._next_record[topic_partition]:
                self._move_to(topic_partition, position)

    def _move_to(self, topic_partition: TopicPartition, offset: int) -> None:
        self._offsets[topic_partition] = self._next_record[topic_partition] = offset

    async def _commit_offsets(self) -> None:
        ours = self._consumer.assignment()
        offsets = {
            topic_partition: offset for topic_partition, offset in self._offsets.items() if topic_partition in ours
        }
        self._offsets.clear()
        if offsets:
            await self._consumer.commit(offsets)


def _partition_of(record: Record) -> TopicPartition:
    return TopicPartition(record.topic, record.partition)


def _is_passing(problem: KafkaError) -> bool:
    return passes(problem) or isinstance(problem, REBALANCED)
