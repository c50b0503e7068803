"""An owner in this process, on the real Kafka: only the model, the configuration and the workers' lives are the test's.

It can be stopped in good order, and it can be crashed.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import cache

from aiokafka import TopicPartition
from aiokafka.errors import KafkaError
from aiokafka.structs import RecordMetadata
from opentelemetry.trace import NoOpTracer
from prometheus_client import CollectorRegistry

from tarsy_bus.client.chunk_sender import ChunkSender
from tarsy_bus.client.client_lifecycle import start_client, stop_client
from tarsy_bus.client.connection import Bus, member
from tarsy_bus.client.publisher import NotWrittenError, Publisher
from tarsy_bus.liveness.failure_detection import Liveness
from tarsy_bus.log.writer import LogEntry, LogWriter
from tarsy_bus.readers.partition_reader import PartitionReader
from tarsy_config.config import Config
from tarsy_config.loading.live_config import LiveConfig
from tarsy_contracts.alert import Alert
from tarsy_contracts.chain import ResolvedChain
from tarsy_contracts.messages.workers import OwnedQueue, WorkerAnnounced
from tarsy_contracts.wire.envelope import Headers
from tarsy_llm.circuits import Circuits
from tarsy_llm.protocol import Answer, Delta, LlmCallError, LlmRequest
from tarsy_llm.provider_type import ModelIdentity
from tarsy_masking.masker import Masker
from tarsy_orchestrator.effects.action_ledger import ActionLedger
from tarsy_orchestrator.effects.admission import BACKGROUND_PHASES, AdmissionQueue
from tarsy_orchestrator.effects.chain_resolution import Plans
from tarsy_orchestrator.effects.dependencies import Dependencies, downtime_of
from tarsy_orchestrator.effects.known_chains import KnownChains
from tarsy_orchestrator.effects.spending_ledger import SpendingLedger
from tarsy_orchestrator.effects.tool_catalog import ToolCatalog, ToolsPatience
from tarsy_orchestrator.effects.tracing import SessionTraces
from tarsy_orchestrator.metrics import Metrics
from tarsy_orchestrator.partition.inputs.inbox_reader import InboxReader
from tarsy_orchestrator.partition.owner import Owner
from tarsy_orchestrator.partition.refused_partitions import RefusedPartitions
from tarsy_service.loop_progress import ServiceLoops
from tarsy_service.process.alerts_under_way import AlertsUnderWay
from tarsy_service.supervision import Supervisor
from tarsy_service.telemetry.model_metrics import ModelCallMetrics, ProviderMetrics
from tarsy_session.decision_input import Spendings
from tarsy_testing.real_servers import eventually

WAIT_SECONDS = 90.0
DEAD_AFTER = timedelta(seconds=8)
ANNOUNCED_EVERY = timedelta(seconds=1)

type Append = Callable[[int, Sequence[LogEntry]], Awaitable[int]]


class FakeLlm:
    """Answers by iteration, at once or when `may_answer` is set, and remembers who asked.

    It writes `streams` before it waits for that.
    """

    def __init__(self, turns: Sequence[Answer]) -> None:
        self.turns = turns
        self.asked: list[LlmRequest] = []
        self.failing: LlmCallError | asyncio.CancelledError | None = None
        self.streams = ""
        self.may_answer = asyncio.Event()
        self.may_answer.set()

    async def stream(self, request: LlmRequest) -> AsyncGenerator[Delta | Answer]:
        self.asked.append(request)
        if self.streams:
            yield Delta(part="text", text=self.streams)
        await self.may_answer.wait()
        if self.failing is not None:
            raise self.failing
        yield self.turns[min(request.iteration, len(self.turns)) - 1]

    async def aclose(self) -> None:
        pass

    def calls_of(self, session_id: str) -> int:
        """How often it was asked for a session: alerts of these tests name theirs."""
        return sum(session_id in request.conversation.messages[0].content for request in self.asked)


class WatchedWriter(LogWriter):
    """Appends for real; a test may do something of its own before, after, or instead."""

    meddle: Callable[[int, Sequence[LogEntry], Append], Awaitable[int]] | None = None

    async def append(self, partition: int, entries: Sequence[LogEntry]) -> int:
        if self.meddle is None:
            return await super().append(partition, entries)
        return await self.meddle(partition, entries, super().append)


class LossyPublisher(Publisher):
    """Publishes for real, except to the topics in `losing`."""

    losing: frozenset[str] = frozenset()

    async def write(
        self, topic: str, *, key: bytes | None, value: bytes | None, headers: Headers, partition: int | None = None
    ) -> RecordMetadata:
        if topic in self.losing:
            raise NotWrittenError(f"{topic}: lost, as the test wants it")
        return await super().write(topic, key=key, value=value, headers=headers, partition=partition)


class RunningOwner:
    """One orchestrator process, but for its signals and settings."""

    def __init__(self, bus: Bus, config: Config, turns: Sequence[Answer], name: str) -> None:
        self.name = name
        self.llm = FakeLlm(turns)
        self.clock_behind = timedelta(0)
        self.liveness = Liveness(name, dead_after=DEAD_AFTER, clock=self._clock)
        self.registry = CollectorRegistry()
        self.publisher = LossyPublisher(bus, source=name, now=_now)
        self.chunks = ChunkSender(self.publisher)
        self.writer = WatchedWriter(bus)
        self.consumer = member(bus, f"{bus.topics.prefix}.orchestrator")
        self.ready = asyncio.Event()
        self.alerts = AlertsUnderWay()
        self.clock_ahead = 0.0
        self.supervisor = Supervisor()
        self.supervisor.loops = ServiceLoops(monotonic=self._monotonic)
        self.live: LiveConfig[Plans] | None = None
        self._fixed_config = config
        self._bus = bus
        self._most_sessions = config.queue.max_concurrent_sessions
        self._follower = PartitionReader(bus, bus.topics.sessions)
        self._catalog = ToolCatalog(
            self.liveness,
            ActionLedger(lambda: datetime.now(UTC)),
            SpendingLedger(lambda: datetime.now(UTC), self._config),
        )
        self.refused = RefusedPartitions(lambda count: None)
        self._owner = Owner(
            bus,
            consumer=self.consumer,
            follower=self._follower,
            writer=self.writer,
            inbox=InboxReader(
                lambda alert: _plan(self._config(), alert),
                bus.partition_of_session,
                lambda: downtime_of(self.liveness),
                lambda: self._config().skill_texts,
            ),
            refused=self.refused,
            deps=self._surroundings(),
            source=name,
        )
        self.task: asyncio.Task[None] = asyncio.create_task(self._run(), name=name)

    def _clock(self) -> datetime:
        return _now() - self.clock_behind

    def _monotonic(self) -> float:
        return time.monotonic() + self.clock_ahead

    def _config(self) -> Config:
        return self._fixed_config if self.live is None else self.live.current.config

    def _surroundings(self) -> Dependencies:
        llms = {"scripted": self.llm}
        providers = ProviderMetrics(self.registry, "orchestrator")
        return Dependencies(
            publisher=self.publisher,
            chunks=self.chunks,
            liveness=self.liveness,
            catalog=self._catalog,
            llms=llms,
            circuits=Circuits(llms, providers, monotonic=self._monotonic, now=self._clock),
            admission=AdmissionQueue(self._most_sessions),
            background=AdmissionQueue(BACKGROUND_PHASES),
            llm_slots=asyncio.Semaphore(100),
            masker=masker(),
            metrics=Metrics(self.registry, ["scripted"]),
            model_calls=ModelCallMetrics(self.registry, "orchestrator", {"scripted": ModelIdentity("scripted", "m")}),
            traces=SessionTraces(NoOpTracer(), lambda: datetime.now(UTC)),
            now=self._clock,
            monotonic=self._monotonic,
            supervisor=self.supervisor,
            tools_patience=ToolsPatience(10.0, 10.0),
            alerts=self.alerts,
        )

    async def _run(self) -> None:
        async with self.publisher.running(), self.writer.running(), self._follower.running():
            try:
                await start_client(self.consumer)
                async with asyncio.TaskGroup() as group:
                    group.create_task(self._catalog.follow(self._bus))
                    group.create_task(self.chunks.run())
                    group.create_task(self._catalog.spending.publish_spendings(self.publisher, 0.05))
                    await self._owner.run(lambda: self.ready.set())
            finally:
                await stop_client(self.consumer)

    def hears(self, worker_id: str, *, ago: timedelta = timedelta(0), leaving: bool = False) -> None:
        """An announcement came back, stamped by the broker so long ago. Ours came back each second until then."""
        announced = WorkerAnnounced(worker_id=worker_id, service="tool-gateway", leaving=leaving)
        at, last = _now() - ago, self.liveness.now
        while worker_id == self.name and last is not None and at - last > ANNOUNCED_EVERY:
            last += ANNOUNCED_EVERY
            self.liveness.note_heartbeat(announced, last)
        self.liveness.note_heartbeat(announced, at)
        self._catalog.wake()

    async def until_ready(self) -> "RunningOwner":
        """Raises what ended the owner, when it ended instead."""
        ready = asyncio.create_task(self.ready.wait())
        try:
            async with asyncio.timeout(WAIT_SECONDS):
                await asyncio.wait([ready, self.task], return_when=asyncio.FIRST_COMPLETED)
            if self.task.done():
                await self.task
        finally:
            ready.cancel()
        return self

    async def until_read(self, written: RecordMetadata) -> None:
        """Waits until an input waits for its decision."""

        async def look() -> bool:
            return int(await self.consumer.position(written.topic_partition)) > int(written.offset)

        await eventually(look, f"{self.name} reads offset {written.offset} of the inbox")

    async def until_ended(self) -> BaseException | None:
        """What ended it."""
        async with asyncio.timeout(WAIT_SECONDS):
            await asyncio.wait([self.task])
        return self.task.exception()

    async def stop(self) -> None:
        self.task.cancel()
        with suppress(asyncio.CancelledError):
            await self.task

    async def holds_reading_until_ready(self) -> None:
        """A read of the inbox has begun that returns after the next rebalance only, as it may in aiokafka."""
        really, begun = self.consumer.getmany, asyncio.Event()
        self.ready = asyncio.Event()

        async def getmany(*places: TopicPartition, **how: int) -> object:
            begun.set()
            await self.ready.wait()
            return await really(*places, **how)

        self.consumer.getmany = getmany
        async with asyncio.timeout(WAIT_SECONDS):
            await begun.wait()

    @property
    def spendings(self) -> Spendings:
        """As it knows them."""
        return self._catalog.spending.spendings()

    @property
    def queues(self) -> dict[int, OwnedQueue]:
        """As it announces them."""
        return self._owner.queues()

    def forgets_everything(self) -> None:
        """From now on it commits nothing and writes no head, as if it died before it came to that."""
        self.commits_nothing()
        self.publisher.losing = frozenset({self._bus.topics.heads})

    def commits_nothing(self) -> None:
        """Its heads are written: the next owner knows from them what it is about to read again."""
        self.consumer.commit = _unable_to_commit

    async def crash(self) -> None:
        """It says nothing more; what runs in it is gone."""
        self.forgets_everything()
        await self.stop()

    def counted(self, name: str, **labels: str) -> float:
        """A metric of this owner, over all its other labels."""
        samples = [one for metric in self.registry.collect() for one in metric.samples]
        named = [one for one in samples if one.name == f"tarsy_orchestrator_{name}"]
        assert named, f"there is no metric {name}"
        return sum(one.value for one in named if labels.items() <= one.labels.items())


def owned_by(owner: RunningOwner) -> set[int]:
    return {place.partition for place in owner.consumer.assignment()}


async def until_asked(owner: RunningOwner, sessions: list[str]) -> None:
    async def look() -> bool:
        return all(owner.llm.calls_of(session) for session in sessions)

    await eventually(look, f"{owner.name} makes the LLM calls of {len(sessions)} sessions")


async def until_it_owns(owner: RunningOwner, count: int) -> None:
    """And hands out the inputs of those partitions. Raises what ended the owner, when it ended instead."""

    async def look() -> bool:
        if owner.task.done():
            await owner.task
        return len(owned_by(owner)) == count and owner.ready.is_set()

    await eventually(look, lambda: f"{owner.name} owns {count} partitions, and not {sorted(owned_by(owner))}")


def _plan(config: Config, alert: Alert) -> ResolvedChain:
    """The investigations of these tests end with their analysis."""
    return KnownChains().resolve(config, alert).model_copy(update={"executive_summary": None})


async def _unable_to_commit(offsets: object) -> None:
    raise KafkaError("the process is dead")


def _now() -> datetime:
    return datetime.now(UTC)


@cache
def masker() -> Masker:
    return Masker.default()
