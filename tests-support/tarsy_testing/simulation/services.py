"""Our services as processes of the simulation. They have the same parts as in their composition roots."""

import asyncio
from collections.abc import Iterator, Mapping, Set
from contextlib import contextmanager, nullcontext
from datetime import timedelta
from functools import cache, partial
from unittest.mock import patch

from opentelemetry.trace import NoOpTracer
from prometheus_client import CollectorRegistry

from tarsy_bus.client.chunk_sender import ChunkSender
from tarsy_bus.client.client_lifecycle import stop_client
from tarsy_bus.client.connection import Bus, Layout, member
from tarsy_bus.client.publisher import Publisher
from tarsy_bus.liveness.failure_detection import Liveness, announce, watch
from tarsy_bus.liveness.pulse import Pulse
from tarsy_bus.log.writer import LogWriter
from tarsy_bus.readers.partition_reader import PartitionReader
from tarsy_bus.topics.kafka_rights import KafkaUser
from tarsy_config.config import Config
from tarsy_contracts.messages.workers import ServerCatalogued, WorkerAnnounced
from tarsy_contracts.timing import FRESH_PART
from tarsy_llm.circuits import Circuits
from tarsy_llm.protocol import Llm
from tarsy_masking.masker import Masker
from tarsy_orchestrator.effects.action_ledger import ActionLedger
from tarsy_orchestrator.effects.admission import BACKGROUND_PHASES, AdmissionQueue
from tarsy_orchestrator.effects.dependencies import Dependencies
from tarsy_orchestrator.effects.known_chains import KnownChains
from tarsy_orchestrator.effects.spending_ledger import SpendingLedger
from tarsy_orchestrator.effects.tool_catalog import ToolCatalog, ToolsPatience
from tarsy_orchestrator.effects.tracing import SessionTraces
from tarsy_orchestrator.metrics import Metrics as OrchestratorMetrics
from tarsy_orchestrator.partition.inputs.inbox_reader import InboxReader
from tarsy_orchestrator.partition.owner import Owner
from tarsy_orchestrator.partition.refused_partitions import RefusedPartitions
from tarsy_service.telemetry.model_metrics import ModelCallMetrics, ProviderMetrics
from tarsy_summarizer.metrics import Metrics as SummarizerMetrics
from tarsy_summarizer.models import Models
from tarsy_summarizer.service import SummarizerService, summary_worker
from tarsy_summarizer.summarize import Summarizer as Summaries
from tarsy_testing.simulation.broker import Broker
from tarsy_testing.simulation.clients import SimulatedConsumer, SimulatedProducer, led_partitions
from tarsy_testing.simulation.investigation import SCRIPTS, SERVERS
from tarsy_testing.simulation.outside import ToolServer
from tarsy_tool_gateway.masking import ServerMaskers
from tarsy_tool_gateway.mcp.readiness import ReadinessGate
from tarsy_tool_gateway.metrics import Metrics as GatewayMetrics
from tarsy_tool_gateway.results.results import ResultStore
from tarsy_tool_gateway.runner import CallRunner
from tarsy_tool_gateway.service import ToolGateway, tool_worker
from tarsy_tool_gateway.tool_servers import call_tool

DEAD_AFTER = timedelta(seconds=4)
SUMMARY_INPUT_BYTES = 20_000
TRACER = NoOpTracer()
MASKING_KEY = bytes(range(32))


class AnsweredWatch:
    """In place of a KafkaWatch: the simulation's brokers always answer."""

    def __init__(self, bus: Bus) -> None:
        pass

    async def run(self) -> None:
        await asyncio.Event().wait()


@contextmanager
def in_memory(broker: Broker) -> Iterator[None]:
    """Clients of Kafka that are made meanwhile are those of the simulation, and so is the time."""

    async def fits(bus: Bus, user: KafkaUser) -> None:
        pass

    with (
        patch("time.monotonic", asyncio.get_running_loop().time),
        patch("tarsy_bus.client.connection.TolerantConsumer", partial(SimulatedConsumer, broker)),
        patch("tarsy_bus.client.connection.BatchConsumer", partial(SimulatedConsumer, broker)),
        patch("tarsy_bus.client.connection.PacedProducer", partial(SimulatedProducer, broker)),
        patch("tarsy_worker.service.await_topics", fits),
        patch("tarsy_worker.service.KafkaWatch", AnsweredWatch),
        patch("tarsy_orchestrator.partition.take_over_schedule.led_partitions", partial(led_partitions, broker)),
    ):
        yield


@cache
def masker() -> Masker:
    return Masker.default(MASKING_KEY)


@cache
def orchestrator_metrics() -> OrchestratorMetrics:
    """One for all runs: making them takes as long as a tenth of a run, and nobody looks at them."""
    return OrchestratorMetrics(CollectorRegistry(), SCRIPTS)


@cache
def model_calls() -> ModelCallMetrics:
    return ModelCallMetrics(CollectorRegistry(), "any", {})


@cache
def provider_metrics() -> ProviderMetrics:
    return ProviderMetrics(CollectorRegistry(), "any")


@cache
def gateway_metrics() -> GatewayMetrics:
    return GatewayMetrics(CollectorRegistry(), list(SERVERS))


@cache
def summarizer_metrics() -> SummarizerMetrics:
    return SummarizerMetrics(CollectorRegistry())


class Orchestrator:
    def __init__(self, name: str, broker: Broker, config: Config, llms: Mapping[str, Llm]) -> None:
        loop = asyncio.get_running_loop()
        self._name = name
        self._bus = bus_of(broker, name)
        self._publisher = Publisher(self._bus, source=name, now=broker.now)
        self._liveness = Liveness(name, dead_after=DEAD_AFTER, monotonic=loop.time, clock=broker.now)
        self._ledger = ActionLedger(broker.now)
        self._spending = SpendingLedger(broker.now, lambda: config)
        self._catalog = ToolCatalog(self._liveness, self._ledger, self._spending)
        self._config = config
        self._deps = Dependencies(
            publisher=self._publisher,
            chunks=ChunkSender(self._publisher, loop.time),
            liveness=self._liveness,
            catalog=self._catalog,
            llms=llms,
            circuits=Circuits(llms, provider_metrics(), monotonic=loop.time, now=broker.now),
            admission=AdmissionQueue(config.queue.max_concurrent_sessions),
            background=AdmissionQueue(BACKGROUND_PHASES),
            llm_slots=asyncio.Semaphore(20),
            masker=masker(),
            metrics=orchestrator_metrics(),
            model_calls=model_calls(),
            traces=SessionTraces(TRACER, broker.now),
            now=broker.now,
            monotonic=loop.time,
            tools_patience=ToolsPatience(20.0, 20.0),
        )
        self._owner: Owner | None = None

    async def run(self) -> None:
        consumer = member(self._bus, "orchestrators")
        writer, follower = LogWriter(self._bus), PartitionReader(self._bus, self._bus.topics.sessions)
        self._owner = Owner(
            self._bus,
            consumer=consumer,
            follower=follower,
            writer=writer,
            inbox=InboxReader(
                partial(KnownChains().resolve, self._config),
                self._bus.partition_of_session,
                lambda: self._deps.downtime,
                lambda: self._config.skill_texts,
            ),
            refused=RefusedPartitions(lambda count: None),
            deps=self._deps,
            source=self._name,
        )
        async with self._publisher.running(), writer.running(), follower.running():
            await consumer.start()
            try:
                async with self._deps.supervisor.group() as group:
                    life = WorkerAnnounced(worker_id=self._name, service=SERVICE)
                    group.start("announcements", announce(self._publisher, life, queues=self._owner.queues))
                    group.start("workers", watch(self._bus, self._liveness, self._catalog.wake))
                    group.start("catalog", self._catalog.follow(self._bus))
                    group.start("chunks", self._deps.chunks.run())
                    group.start("granted actions", self._ledger.publish_grants(self._publisher))
                    group.start("spendings", self._spending.publish_spendings(self._publisher))
                    await self._owner.run(lambda: None)
            finally:
                await stop_client(consumer)

    def committable(self) -> dict[int, int]:
        """The offset up to which it may say that it has decided, for each partition of the inbox."""
        owned = self._owner._owned if self._owner is not None else {}
        return {number: one.partition.progress.committable for number, one in owned.items()}

    @property
    def admitted(self) -> Set[str]:
        """The sessions that it keeps a place for."""
        return self._deps.admission.running | self._deps.background.running


SERVICE = "orchestrator"


class Gateway:
    """`servers` are outside: they live longer than it."""

    def __init__(self, name: str, broker: Broker, servers: Mapping[str, ToolServer]) -> None:
        self._name = name
        self._bus = bus_of(broker, name)
        self._broker = broker
        self._servers = dict(servers)
        self._ids = 0

    async def run(self) -> None:
        now = self._broker.now
        publisher = Publisher(self._bus, source=self._name, now=now)
        metrics = gateway_metrics()
        results = ResultStore(publisher, source=self._name, mask_of=ServerMaskers(masker()).of_session, now=now)
        worker = tool_worker(
            self._bus,
            publisher,
            worker_id=self._name,
            name=self._name,
            pulse=Pulse(DEAD_AFTER.total_seconds() * FRESH_PART, asyncio.get_running_loop().time),
            limits={name: server.limits for name, server in self._servers.items()},
            runner=CallRunner(partial(call_tool, self._servers), results, worker_id=self._name, metrics=metrics),
            metrics=metrics,
            tracer=TRACER,
            now=now,
            new_id=self._new_id,
            drain_seconds=0.0,
        )
        gate = ReadinessGate((), seconds=0.0)
        service = ToolGateway(worker=worker, gate=gate, servers=lambda supervisor: nullcontext())
        async with publisher.running():
            await self._catalogue(publisher)
        await service.run(lambda: None)

    async def _catalogue(self, publisher: Publisher) -> None:
        """Publishes what connections to MCP servers would bring."""
        for server, outside in self._servers.items():
            tools = tuple(tool.catalogued() for tool in outside.tools)
            seen = ServerCatalogued(server=server, worker_id=self._name, healthy=True, error="", tools=tools)
            key = f"{server}/{self._name}"
            await publisher.publish(self._bus.topics.catalog, seen, key=key, id=self._new_id(), subject=server)

    def _new_id(self) -> str:
        self._ids += 1
        return f"{self._name}/{self._ids}"


class Summarizer:
    def __init__(self, name: str, broker: Broker, llms: Mapping[str, Llm]) -> None:
        self._name = name
        self._bus = bus_of(broker, name)
        self._broker = broker
        self._llms = llms
        self._ids = 0

    async def run(self) -> None:
        now, loop = self._broker.now, asyncio.get_running_loop()
        publisher = Publisher(self._bus, source=self._name, now=now)
        metrics = summarizer_metrics()
        circuits = Circuits(self._llms, provider_metrics(), monotonic=loop.time, now=now)
        models = Models(
            llms=self._llms,
            circuits=circuits,
            chunks=ChunkSender(publisher, loop.time),
            masker=masker(),
            now=now,
            monotonic=loop.time,
            sleep=asyncio.sleep,
            metrics=metrics,
            model_calls=model_calls(),
        )
        summarizer = Summaries(self._bus, models, worker_id=self._name, input_bytes=SUMMARY_INPUT_BYTES)
        worker = summary_worker(
            self._bus,
            publisher,
            worker_id=self._name,
            name=self._name,
            summarizer=summarizer,
            metrics=metrics,
            tracer=TRACER,
            now=now,
            new_id=self._new_id,
            at_once=4,
            failing_providers=circuits.list_failing,
        )
        service = SummarizerService(worker=worker, summarizer=summarizer, chunks=models.chunks, circuits=circuits)
        await service.run(lambda: None)

    def _new_id(self) -> str:
        self._ids += 1
        return f"{self._name}/{self._ids}"


def bus_of(broker: Broker, name: str) -> Bus:
    return Bus(bootstrap="memory:0", topics=broker.topics, client=name, layout=Layout(broker.log_partitions))
