"""Ownership of partitions: acquire, follow the log, hand out inputs, commit, release."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress

import structlog
from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.errors import KafkaError

from tarsy_bus.client.client_lifecycle import stop_client
from tarsy_bus.client.connection import Bus
from tarsy_bus.client.fetch_progress import FetchProgress
from tarsy_bus.log.writer import LogWriter
from tarsy_bus.pacing import Pacer
from tarsy_bus.readers.held_sessions import read_held
from tarsy_bus.readers.partition_reader import PartitionReader, ends
from tarsy_bus.readers.span_readers import SpanReaders
from tarsy_bus.retries import draw_growing_pauses
from tarsy_contracts.messages.workers import OwnedQueue
from tarsy_orchestrator.effects.dependencies import Dependencies
from tarsy_orchestrator.partition.heads_partition import HeadsTopic
from tarsy_orchestrator.partition.inputs.group_membership import GroupMembership
from tarsy_orchestrator.partition.inputs.inbox_commits import InboxCommits
from tarsy_orchestrator.partition.inputs.inbox_feed import InboxFeed
from tarsy_orchestrator.partition.inputs.inbox_range import inbox_misfit, read_inbox_ranges
from tarsy_orchestrator.partition.inputs.inbox_reader import InboxReader
from tarsy_orchestrator.partition.log_feed import feed_records
from tarsy_orchestrator.partition.owner_gauges import update_gauges
from tarsy_orchestrator.partition.owner_progress import OwnerProgress
from tarsy_orchestrator.partition.partition import Partition
from tarsy_orchestrator.partition.recovery import describe_missing_openers, read_fitting_heads
from tarsy_orchestrator.partition.refused_partitions import RefusedPartitions
from tarsy_orchestrator.partition.take_over import Owned, TakeOver
from tarsy_orchestrator.partition.take_over_schedule import TakeOverSchedule
from tarsy_service.supervision import SupervisedGroup

log = structlog.get_logger(__name__)

COMMIT_SECONDS = 1.0
MARKERS_SECONDS = 0.5
"""How often an owner that waits looks past offsets that hold no record."""
RELEASE_SECONDS = 5.0
LEAVE_SECONDS = 2.0


class Owner:
    """All partitions of one orchestrator process."""

    def __init__(
        self,
        bus: Bus,
        *,
        consumer: AIOKafkaConsumer,
        follower: PartitionReader,
        writer: LogWriter,
        inbox: InboxReader,
        refused: RefusedPartitions,
        deps: Dependencies,
        source: str,
    ) -> None:
        self._bus = bus
        self._consumer = consumer
        self._follower = follower
        self._refused = refused
        self._deps = deps
        self._membership = GroupMembership(consumer, lambda: bus.layout.log_partitions)
        self._owned: dict[int, Owned] = {}
        self._feed = InboxFeed(
            bus.topics.inbox,
            consumer=consumer,
            membership=self._membership,
            reader=inbox,
            owned=lambda number: self._owned[number].partition,
            alerts=deps.alerts,
            monotonic=deps.monotonic,
        )
        self._readers = SpanReaders(bus, bus.topics.sessions)
        self._heads = HeadsTopic(bus, deps.monotonic)
        self._take_over = TakeOver(
            bus, deps=deps, writer=writer, readers=self._readers, heads=self._heads, source=source
        )
        self._commits = InboxCommits(bus.topics.inbox, consumer)
        self._schedule = TakeOverSchedule(bus, self._membership, refused, deps.monotonic)
        self._led: frozenset[int] = frozenset()
        self._fetches = FetchProgress(consumer)

    async def run(self, ready: Callable[[], None]) -> None:
        """Owns what the group assigns, until it is cancelled; then commits what was decided and leaves at once."""
        self._consumer.subscribe([self._bus.topics.inbox], listener=self._membership)
        async with self._readers.running(), self._heads.running(), self._deps.supervisor.group() as group:
            group.start("session log", self._follow_log())
            inputs = [
                group.start("inbox", self._hand_out(self._deps.supervisor.heartbeat_for("inbox"))),
                group.start("commits", self._commit_for_ever(OwnerProgress(self._deps))),
            ]
            try:
                await self._deps.supervisor.run("ownership", self._own_for_ever(group, ready))
            finally:
                await self._leave_group(inputs)

    def queues(self) -> dict[int, OwnedQueue]:
        """Queues of the partitions whose inboxes are handed out; ingest judges by them whether more may wait."""
        running = self._deps.admission.running
        return {number: self._owned[number].partition.queue(running) for number in self._membership.handing_out}

    async def _leave_group(self, inputs: Sequence["asyncio.Task[None]"]) -> None:
        """Leaves the group first so that the next owner can start at once. Late appends are safe: readers drop them."""
        for task in inputs:
            task.cancel()
        await asyncio.wait(inputs)
        try:
            async with asyncio.timeout(LEAVE_SECONDS):
                await self._commit_offsets()
        except TimeoutError:
            log.warning("offsets.not_committed_at_last")
        await stop_client(self._consumer, seconds=LEAVE_SECONDS)

    # Ownership

    async def _own_for_ever(self, group: SupervisedGroup, ready: Callable[[], None]) -> None:
        pauses = draw_growing_pauses()
        await self._deps.catalog.wait_until_read()
        while True:
            await self._schedule.until_due()
            self._membership.changed.clear()
            generation, assigned = self._membership.generation, self._membership.assigned
            of_group = self._membership.group_generation
            started = self._deps.monotonic()
            self._deps.admission.pause()
            self._deps.background.pause()
            await self._release_gone(assigned)
            self._deps.runs.enter(of_group)
            self._refused.begin()
            try:
                self._led = await self._schedule.led(assigned)
                fitting = await self._acquire_due(group, self._led - self._membership.handing_out)
                handing_out = await self._start_inboxes(generation, fitting)
            except (KafkaError, OSError) as problem:
                log.warning("partitions.not_taken_over", reason=repr(problem))
                with suppress(TimeoutError):
                    async with asyncio.timeout(next(pauses)):
                        await self._membership.changed.wait()
                self._membership.changed.set()
                continue
            pauses = draw_growing_pauses()
            self._refused.end(self._led)
            if handing_out:
                self._deps.metrics.recovery_duration.observe(self._deps.monotonic() - started)
                ready()

    async def _release_gone(self, assigned: frozenset[int]) -> None:
        """Releases the partitions that did not come back. The others keep their state and their running calls."""
        gone = [self._owned.pop(number) for number in list(self._owned) if number not in assigned]
        for owned in gone:
            owned.task.cancel()
        if gone:
            _, late = await asyncio.wait([owned.task for owned in gone], timeout=RELEASE_SECONDS)
            if late:
                log.error("partitions.not_given_up", count=len(late))
        self._deps.metrics.partitions.set(len(self._owned))

    async def _acquire_due(self, group: SupervisedGroup, due: frozenset[int]) -> frozenset[int]:
        """Acquires new partitions: reads their log from where heads say, and that of all up to its present end.

        Returns those that fit.
        """
        for number in self._owned.keys() - self._membership.handing_out:
            self._owned[number].partition.recover()
        if new := sorted(due - self._owned.keys()):
            for number, heads in (await read_fitting_heads(self._bus, new, self._refuse_partition)).items():
                self._owned[number] = await self._take_over.begin(group, number, heads)
            self._deps.metrics.partitions.set(len(self._owned))
        self._follower.assign({number: owned.partition.log_progress.next for number, owned in self._owned.items()})
        end = await ends(self._bus, self._bus.topics.sessions, sorted(due))
        for number in due & self._owned.keys():
            await self._catch_up(number, self._owned[number].partition, end[number])
        return due & self._owned.keys()

    async def _catch_up(self, number: int, partition: Partition, end: int) -> None:
        await partition.log_progress.wait_until_caught_up(end)
        if number in self._owned and (
            reason := describe_missing_openers(self._bus, number, partition.sessions.list_unopened())
        ):
            self._refuse_partition(number, reason)

    def _refuse_partition(self, number: int, reason: str) -> None:
        """The others go on. This one is looked at again, for somebody may mend it."""
        self._refused.refuse(number, reason)
        self._membership.handing_out.discard(number)
        owned = self._owned.pop(number, None)
        if owned is not None:
            owned.partition.log_progress.stop()
            owned.task.cancel()
            self._deps.metrics.partitions.set(len(self._owned))

    async def _start_inboxes(self, generation: int, due: frozenset[int]) -> bool:
        """Returns False when another rebalance came in between: then nothing has begun."""
        # Read before the ends: a previous owner may decide meanwhile, and its input lies beyond an older end.
        decided = {number: self._owned[number].partition.sessions.decided for number in due}
        inboxes = await read_inbox_ranges(self._bus, self._consumer, due)
        # Read last: the previous owners cannot commit past an input any more that they hold.
        held = await read_held(self._bus, due)
        if generation != self._membership.generation:
            return False
        for number, inbox in inboxes.items():
            if reason := inbox_misfit(self._bus, number, inbox, decided[number]):
                self._refuse_partition(number, reason)
                continue
            topic_partition = TopicPartition(self._bus.topics.inbox, number)
            self._owned[number].partition.start_inbox(inbox.start, inbox.end, held[number])
            self._membership.handing_out.add(number)
            self._consumer.seek(topic_partition, inbox.start)
            self._consumer.resume(topic_partition)
        return True

    # Log and inbox

    async def _follow_log(self) -> None:
        look_at = 0.0
        while True:
            await feed_records(await self._follower.next(), self._partition_of, self._refuse_partition, Pacer())
            if self._deps.monotonic() < look_at:
                continue
            look_at = self._deps.monotonic() + MARKERS_SECONDS
            for number, owned in list(self._owned.items()):
                if owned.partition.log_progress.is_awaited:
                    owned.partition.log_progress.move_to(await self._follower.position(number))

    def _partition_of(self, number: int) -> Partition | None:
        owned = self._owned.get(number)
        return None if owned is None else owned.partition

    async def _hand_out(self, heartbeat: Callable[[], None]) -> None:
        while True:
            await self._feed.take()
            if self._fetches.take_answered():
                heartbeat()
            self._feed.apply_backpressure()
            await self._resume_admission()

    async def _resume_admission(self) -> None:
        """Lets waiting sessions begin as soon as every partition is recovered."""
        if self._deps.admission.paused and self._is_recovered():
            # Effects that were started just now get into the queue first.
            await asyncio.sleep(0)
            if self._is_recovered():
                self._deps.admission.resume()
                self._deps.background.resume()

    def _is_recovered(self) -> bool:
        handing_out = self._membership.handing_out
        known = bool(handing_out) and handing_out >= self._led - self._refused.numbers
        return known and all(self._owned[number].partition.recovered for number in handing_out)

    # Commits

    async def _commit_for_ever(self, progress: OwnerProgress) -> None:
        while True:
            await asyncio.sleep(COMMIT_SECONDS)
            await self._commit_offsets()
            partitions = {number: one.partition for number, one in self._owned.items()}
            update_gauges(list(partitions.values()), self._deps)
            wanted = self._membership.assigned - self._refused.numbers
            progress.look(partitions, owns_all=self._membership.handing_out >= wanted)

    async def _commit_offsets(self) -> None:
        numbers = self._membership.handing_out
        await self._commits.commit({number: self._owned[number].partition.progress.committable for number in numbers})
