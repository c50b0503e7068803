"""Owning partitions: taking them over, following their log, handing out their inputs, giving them up."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import partial

import structlog
from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.errors import CommitFailedError, IllegalStateError, KafkaError

from tarsy_bus.acceptance import LogMismatch
from tarsy_bus.client_lifecycle import stop_client
from tarsy_bus.connection import Bus
from tarsy_bus.fetch_progress import FetchProgress
from tarsy_bus.following import Follower, Record, ends, poll
from tarsy_bus.head_reading import read_heads
from tarsy_bus.held_sessions import read_held
from tarsy_bus.log_writer import LogWriter
from tarsy_bus.outages import growing_pauses, wait_out
from tarsy_bus.pacing import Pacer
from tarsy_bus.start_positions import committed_offsets
from tarsy_orchestrator.burials import Burials
from tarsy_orchestrator.decision_progress import DecisionProgress
from tarsy_orchestrator.head_writer import HeadWriter
from tarsy_orchestrator.held_topic import HeldTopic
from tarsy_orchestrator.inbox import InboxReader
from tarsy_orchestrator.log_feed import feed_records
from tarsy_orchestrator.membership import Membership
from tarsy_orchestrator.partition import Partition
from tarsy_orchestrator.quarantine import Quarantine
from tarsy_orchestrator.recovery import check_last_events, log_positions
from tarsy_orchestrator.resting_states import RestingStates
from tarsy_orchestrator.sessions import Sessions
from tarsy_orchestrator.surroundings import Surroundings
from tarsy_orchestrator.work import Work
from tarsy_service.supervision import SupervisedGroup

log = structlog.get_logger(__name__)

COMMIT_SECONDS = 1.0
POLL_MS = 200
INPUTS_AT_ONCE = 500
GIVE_UP_SECONDS = 5.0
LEAVE_SECONDS = 2.0
POSITION_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Owned:
    partition: Partition
    task: "asyncio.Task[None]"


class Owner:
    """All partitions of one orchestrator process."""

    def __init__(
        self,
        bus: Bus,
        *,
        consumer: AIOKafkaConsumer,
        follower: Follower,
        writer: LogWriter,
        inbox: InboxReader,
        around: Surroundings,
        source: str,
    ) -> None:
        self._bus = bus
        self._consumer = consumer
        self._follower = follower
        self._writer = writer
        self._inbox = inbox
        self._around = around
        self._source = source
        self._membership = Membership(consumer, lambda: bus.layout.log_partitions)
        self._owned: dict[int, Owned] = {}
        self._resting = RestingStates()
        self._committed: dict[int, int] = {}
        self._fetches = FetchProgress(consumer)
        self._progress = DecisionProgress()

    async def run(self, ready: Callable[[], None]) -> None:
        """Owns what the group assigns, until it is cancelled; then commits what was decided and leaves at once."""
        self._consumer.subscribe([self._bus.topics.inbox], listener=self._membership)
        async with self._around.supervisor.group() as group:
            group.start("session log", self._follow())
            steps = self._around.supervisor.steps
            inputs = [
                group.start("inbox", self._hand_out(steps("inbox"))),
                group.start("commits", self._commit_for_ever(steps("ownership"), steps("decisions"))),
            ]
            try:
                await self._around.supervisor.run("ownership", self._own(group, ready))
            finally:
                await self._leave(inputs)

    async def _leave(self, inputs: Sequence["asyncio.Task[None]"]) -> None:
        """Before anything else ends, so that others take over meanwhile. What is still written here, the log judges."""
        for task in inputs:
            task.cancel()
        await asyncio.wait(inputs)
        try:
            async with asyncio.timeout(LEAVE_SECONDS):
                await self._commit()
        except TimeoutError:
            log.warning("offsets.not_committed_at_last")
        await stop_client(self._consumer, seconds=LEAVE_SECONDS)

    # Which partitions

    async def _own(self, group: SupervisedGroup, ready: Callable[[], None]) -> None:
        pauses = growing_pauses()
        while True:
            await self._membership.changed.wait()
            self._membership.changed.clear()
            generation, assigned = self._membership.generation, self._membership.assigned
            started = self._around.monotonic()
            self._around.places.hold()
            await self._give_up(assigned)
            try:
                await self._take_over(group, assigned)
                handing_out = await self._hand_out_from_now_on(generation, assigned)
            except (KafkaError, OSError) as problem:
                log.warning("partitions.not_taken_over", reason=repr(problem))
                with suppress(TimeoutError):
                    async with asyncio.timeout(next(pauses)):
                        await self._membership.changed.wait()
                self._membership.changed.set()
                continue
            pauses = growing_pauses()
            if handing_out:
                self._around.metrics.recovery_duration.observe(self._around.monotonic() - started)
                ready()

    async def _give_up(self, assigned: frozenset[int]) -> None:
        """State and running calls go only with the partitions that did not come back."""
        gone = [self._owned.pop(number) for number in list(self._owned) if number not in assigned]
        for owned in gone:
            owned.task.cancel()
        if gone:
            _, late = await asyncio.wait([owned.task for owned in gone], timeout=GIVE_UP_SECONDS)
            if late:
                log.error("partitions.not_given_up", count=len(late))
        self._around.metrics.partitions.set(len(self._owned))

    async def _take_over(self, group: SupervisedGroup, assigned: frozenset[int]) -> None:
        """Reads the log of new partitions from where heads say, and of all up to its end as it is now."""
        new = sorted(assigned - self._owned.keys())
        for owned in self._owned.values():
            owned.partition.recover()
        if new:
            heads = await read_heads(self._bus, new)
            with ExitStack() as unused:
                for store in heads.values():
                    unused.callback(store.close)
                positions = log_positions(heads)
                # On a connection of its own: on one that fetches, a question waits half a second behind the long poll.
                async with Follower(self._bus, self._bus.topics.sessions).running() as asking:
                    await asking.check(positions)
                await check_last_events(self._bus, heads)
                unused.pop_all()
            for number in new:
                sessions = Sessions(heads[number], self._resting)
                partition, work, writer = self._partition(number, sessions, positions[number])
                task = group.start(f"partition-{number}", self._run(partition, work, writer))
                # Also when it never ran.
                task.add_done_callback(partial(_closed, sessions))
                self._owned[number] = Owned(partition, task)
            self._around.metrics.partitions.set(len(self._owned))
        self._follower.assign({number: owned.partition.position for number, owned in self._owned.items()})
        end = await ends(self._bus, self._bus.topics.sessions, sorted(assigned))
        for number in assigned:
            partition = self._owned[number].partition
            await partition.caught_up(end[number])
            if missing := partition.sessions.not_opened():
                raise LogMismatch(
                    f"{self._bus.topics.sessions} partition {number} should hold the openers of {len(missing)} open "
                    f"sessions, such as {missing[0]}, but it does not: it was emptied, or it is another cluster's"
                )

    def _partition(self, number: int, sessions: Sessions, position: int) -> tuple[Partition, Work, HeadWriter]:
        heads = HeadWriter(self._around.publisher, number)
        work = Work(
            number,
            self._around,
            put=lambda waiting: partition.put(waiting),
            behind=lambda now: partition.behind(now),
            failed=lambda session_id, problem: partition.isolation.work_failed(session_id, problem),
        )
        quarantine = Quarantine(HeldTopic(self._around.publisher, self._bus, number))
        partition = Partition(
            number,
            bus=self._bus,
            sessions=sessions,
            position=position,
            writer=self._writer,
            heads=heads,
            quarantine=quarantine,
            burials=Burials(self._around.publisher),
            acting=work,
            metrics=self._around.metrics,
            traces=self._around.traces,
            supervisor=self._around.supervisor,
            source=self._source,
        )
        return partition, work, heads

    async def _hand_out_from_now_on(self, generation: int, assigned: frozenset[int]) -> bool:
        """False when another rebalance came in between: then nothing has begun."""
        places = {number: TopicPartition(self._bus.topics.inbox, number) for number in assigned}
        async with asyncio.timeout(POSITION_SECONDS):
            committed = await committed_offsets(self._consumer, places.values())
        async with Follower(self._bus, self._bus.topics.inbox).running() as asking:
            first = await asking.consumer.beginning_offsets(list(places.values()))
        starts = {number: first[place] if (at := committed[place]) is None else at for number, place in places.items()}
        # Before the ends: an owner before us may decide meanwhile, and what it decides lies beyond an older end.
        decided = {number: self._owned[number].partition.sessions.decided for number in places}
        end = await ends(self._bus, self._bus.topics.inbox, sorted(assigned))
        # Now: who owned them before cannot commit past an input any more that it holds.
        held = await read_held(self._bus, assigned)
        if generation != self._membership.generation:
            return False
        for number, place in places.items():
            self._check_inbox(number, first[place], starts[number], end[number], decided[number])
        for number, place in places.items():
            self._owned[number].partition.start_inbox(starts[number], end[number], held[number])
            self._membership.handing_out.add(number)
            self._consumer.seek(place, starts[number])
            self._consumer.resume(place)
        return True

    def _check_inbox(self, number: int, first: int, start: int, end: int, decided: int) -> None:
        """`start` is what was committed, or `first` where nothing was. Raises LogMismatch."""
        place = f"{self._bus.topics.inbox} partition {number} holds offsets {first} to {end}"
        if not first <= start <= end:
            raise LogMismatch(
                f"{place}, but reading should go on at {start}: inputs were deleted before they were decided, it was "
                "emptied, or it is another cluster's"
            )
        if decided >= end:
            raise LogMismatch(
                f"{place}, but the session log tells of inputs decided up to {decided}: it was emptied, or it is "
                "another cluster's"
            )

    async def _run(self, partition: Partition, work: Work, heads: HeadWriter) -> None:
        name = f"partition-{partition.number}"
        async with self._around.supervisor.group() as group:
            group.start(f"{name} decisions", partition.run())
            group.start(f"{name} work", work.run())
            group.start(f"{name} heads", heads.run())

    # What flows

    async def _follow(self) -> None:
        while True:
            await feed_records(await self._follower.next(), self._partition_of, Pacer())

    def _partition_of(self, number: int) -> Partition | None:
        owned = self._owned.get(number)
        return None if owned is None else owned.partition

    async def _hand_out(self, stepped: Callable[[], None]) -> None:
        while True:
            # Also while all is paused for a recovery: who does not ask for long is thrown out of the group.
            found = await wait_out("inputs", self._next_inputs)
            # Only now: a call that began before a rebalance may return what came after it.
            generation = self._membership.generation
            for number in self._membership.handing_out:
                if TopicPartition(self._bus.topics.inbox, number) not in found:
                    self._owned[number].partition.read_all()
            pacer = Pacer()
            for place, records in found.items():
                for record in records:
                    await pacer.let_others_run()
                    if generation == self._membership.generation and place.partition in self._membership.handing_out:
                        self._inbox.hand_over(record, self._owned[place.partition].partition)
            if self._fetches.answered():
                stepped()
            self._make_room()
            await self._let_begin()

    async def _next_inputs(self) -> dict[TopicPartition, list[Record]]:
        return await poll(self._consumer, timeout_ms=POLL_MS, max_records=INPUTS_AT_ONCE)

    async def _let_begin(self) -> None:
        """The sessions that wait, as soon as every partition is settled."""
        if self._around.places.held and self._settled():
            # What was made just now gets into the queue first.
            await asyncio.sleep(0)
            if self._settled():
                self._around.places.go_on()

    def _settled(self) -> bool:
        handing_out = self._membership.handing_out
        known = bool(handing_out) and handing_out == self._owned.keys()
        return known and all(one.partition.settled for one in self._owned.values())

    def _make_room(self) -> None:
        """A partition with many inputs waiting is not read further until they are decided."""
        for number in self._membership.handing_out:
            place = TopicPartition(self._bus.topics.inbox, number)
            full, paused = self._owned[number].partition.full, place in self._consumer.paused()
            if full and not paused:
                self._consumer.pause(place)
            elif paused and not full:
                self._consumer.resume(place)

    # What is committed

    async def _commit_for_ever(self, owns: Callable[[], None], decides: Callable[[], None]) -> None:
        """`owns` is called while all that is assigned is owned, `decides` while nobody waits for a decision in vain."""
        while True:
            await asyncio.sleep(COMMIT_SECONDS)
            await self._commit()
            self._show()
            if self._membership.handing_out == self._membership.assigned:
                owns()
            if self._progress.moved({number: one.partition.decisions for number, one in self._owned.items()}):
                decides()

    def _show(self) -> None:
        owned = [one.partition for one in self._owned.values()]
        self._around.metrics.sessions_open.set(sum(len(partition.sessions.open_sessions()) for partition in owned))
        self._around.metrics.sessions_aside.set(sum(len(partition.isolation) for partition in owned))
        held = [since for partition in owned for since in partition.isolation.held_since]
        self._around.metrics.held(held, self._around.now())

    async def _commit(self) -> None:
        """Up to the first input whose decision has not come back. A failure means that somebody else owns by now."""
        offsets = {}
        for number in self._membership.handing_out:
            committable = self._owned[number].partition.progress.committable
            if self._committed.get(number) != committable:
                offsets[TopicPartition(self._bus.topics.inbox, number)] = committable
        if not offsets:
            return
        try:
            await self._consumer.commit(offsets)
        except (CommitFailedError, IllegalStateError, KafkaError) as problem:
            log.info("commit.refused", reason=repr(problem))
            return
        self._committed.update({place.partition: offset for place, offset in offsets.items()})


def _closed(sessions: Sessions, ended: "asyncio.Task[None]") -> None:
    sessions.close()
