"""Composition root of the orchestrator."""

import asyncio
import os
import time
from datetime import UTC, datetime, timedelta
from functools import partial
from uuid import uuid4

from prometheus_client import CollectorRegistry

from tarsy_bus.client.broker_connections import BrokerConnections
from tarsy_bus.client.chunk_sender import ChunkSender
from tarsy_bus.client.client_lifecycle import start_client, stop_client
from tarsy_bus.client.connection import USUAL_WAIT_MS, bus_of, member, quiet_reader
from tarsy_bus.client.publisher import Publisher
from tarsy_bus.liveness.failure_detection import Liveness, announce, watch
from tarsy_bus.liveness.kafka_watch import KafkaWatch
from tarsy_bus.log.writer import LogWriter
from tarsy_bus.readers.partition_reader import PartitionReader
from tarsy_bus.topics import kafka_rights
from tarsy_bus.topics.topics_admin import await_topics
from tarsy_config.checks.keys import keys_are_set
from tarsy_config.loading.live_config import ConfigSource, LiveConfig, LiveMapping
from tarsy_contracts.messages.workers import WorkerAnnounced
from tarsy_llm.circuits import Circuits
from tarsy_masking.masker import Masker
from tarsy_orchestrator.effects.action_ledger import ActionLedger
from tarsy_orchestrator.effects.admission import AdmissionQueue, background_capacity
from tarsy_orchestrator.effects.chain_resolution import prepare_plans
from tarsy_orchestrator.effects.dependencies import Dependencies
from tarsy_orchestrator.effects.known_chains import KnownChains
from tarsy_orchestrator.effects.spending_ledger import SpendingLedger
from tarsy_orchestrator.effects.tool_catalog import ToolCatalog, ToolsPatience
from tarsy_orchestrator.effects.tracing import SessionTraces
from tarsy_orchestrator.metrics import Metrics
from tarsy_orchestrator.partition.inputs.inbox_reader import InboxReader
from tarsy_orchestrator.partition.owner import Owner
from tarsy_orchestrator.partition.refused_partitions import RefusedPartitions
from tarsy_orchestrator.settings import OrchestratorSettings
from tarsy_service.process.alerts_under_way import AlertsUnderWay
from tarsy_service.process.service import Ready, Service
from tarsy_service.supervision import Supervisor
from tarsy_service.telemetry.config_metrics import observe_config_verdicts
from tarsy_service.telemetry.kafka_metrics import count_misplaced_records, kafka_writes, unparsable_records
from tarsy_service.telemetry.model_metrics import ModelCallMetrics, ProviderMetrics
from tarsy_service.telemetry.tracing import create_tracing

NAME = "orchestrator"


def build(
    settings: OrchestratorSettings,
    registry: CollectorRegistry,
    connections: BrokerConnections | None = None,
    under_way: AlertsUnderWay | None = None,
) -> Service:
    """`under_way`: of a process that accepts alerts, too. Raises InvalidConfigError or InvalidScriptError."""
    masker = Masker.default(settings.masking_key_bytes, most_findings=settings.masking_most_findings)
    source_of_config = ConfigSource(settings.config_dir, os.environ, also=(keys_are_set,))
    live = LiveConfig(
        source_of_config, partial(prepare_plans, masker.mask), judged=observe_config_verdicts(registry, NAME)
    )
    worker_id, source = str(uuid4()), f"{NAME}/{settings.client}"
    bus = bus_of(
        settings,
        kafka_writes(registry, NAME),
        unparsable_records(registry, NAME, kafka_rights.ORCHESTRATOR.reads),
        connections,
        count_misplaced_records(registry, NAME, "heads", "held"),
    )
    tracing = create_tracing(NAME, settings)
    liveness = Liveness(worker_id, dead_after=timedelta(seconds=settings.dead_after_seconds))
    publisher = Publisher(bus, source=source, now=lambda: datetime.now(UTC))
    ledger, chains = ActionLedger(lambda: datetime.now(UTC)), KnownChains()
    spending = SpendingLedger(lambda: datetime.now(UTC), lambda: live.current.config)
    catalog = ToolCatalog(liveness, ledger, spending)
    metrics, supervisor = Metrics(registry, live.current.config.llm_providers), Supervisor()
    metrics.skills.know(live.current.config.skills)
    admission = AdmissionQueue(live.current.most_sessions, metrics.sessions_waiting.set)
    refused = RefusedPartitions(metrics.partitions_refused.set)
    identities = LiveMapping(lambda: live.current.models.identities)
    llms = LiveMapping(lambda: live.current.models.llms)
    circuits = Circuits(llms, ProviderMetrics(registry, NAME), monotonic=time.monotonic, now=lambda: datetime.now(UTC))
    deps = Dependencies(
        publisher=publisher,
        chunks=ChunkSender(publisher),
        liveness=liveness,
        catalog=catalog,
        llms=llms,
        circuits=circuits,
        admission=admission,
        background=AdmissionQueue(background_capacity(settings.llm_calls_at_once), metrics.phases_waiting.set),
        llm_slots=asyncio.Semaphore(settings.llm_calls_at_once),
        masker=masker,
        metrics=metrics,
        model_calls=ModelCallMetrics(registry, NAME, identities),
        traces=SessionTraces(tracing.tracer, lambda: datetime.now(UTC), identities),
        now=lambda: datetime.now(UTC),
        monotonic=time.monotonic,
        tools_patience=ToolsPatience(settings.tools_wait_seconds, settings.tools_starting_seconds),
        supervisor=supervisor,
        alerts=under_way or AlertsUnderWay(),
    )

    def switched() -> None:
        admission.resize(live.current.most_sessions)
        metrics.know_providers(live.current.config.llm_providers)
        metrics.skills.know(live.current.config.skills)
        metrics.outcomes.know(live.current.config.agent_chains, live.current.config.alert_types())

    async def run(ready: Ready) -> None:
        await await_topics(bus, kafka_rights.ORCHESTRATOR)
        await asyncio.to_thread(deps.masker.prepare_streams)
        metrics.partitions_wanted.set(bus.layout.log_partitions)
        # Its partitions are paused while too much waits in them, and resumed.
        consumer = member(bus, f"{settings.topic_prefix}.{NAME}", wait_ms=USUAL_WAIT_MS)
        writer = LogWriter(bus)
        follower = PartitionReader(
            bus, bus.topics.sessions, supervisor.heartbeat_for("session log"), consumer=quiet_reader
        )
        owner = Owner(
            bus,
            consumer=consumer,
            follower=follower,
            writer=writer,
            inbox=InboxReader(
                lambda alert: chains.resolve(live.current.config, alert),
                bus.partition_of_session,
                lambda: deps.downtime,
                lambda: live.current.config.skill_texts,
            ),
            refused=refused,
            deps=deps,
            source=source,
        )
        async with publisher.running(), writer.running(), follower.running():
            try:
                await start_client(consumer)
                async with supervisor.group() as group:
                    announcement = WorkerAnnounced(worker_id=worker_id, service=NAME, name=settings.client)
                    steps_of = supervisor.heartbeat_for("announcements")
                    announced = announce(
                        publisher, announcement, heartbeat=steps_of, queues=owner.queues, failing=circuits.list_failing
                    )
                    group.start("announcements", announced)
                    group.start("kafka", KafkaWatch(bus).run())
                    group.start("workers", watch(bus, liveness, catalog.wake, supervisor.heartbeat_for("workers")))
                    group.start("catalog", catalog.follow(bus, supervisor.heartbeat_for("catalog")))
                    group.start("chunks", deps.chunks.run())
                    group.start("ends of catalog entries", catalog.end_forgotten(publisher))
                    group.start("granted actions", ledger.publish_grants(publisher))
                    group.start("spendings", spending.publish_spendings(publisher))
                    steps = partial(supervisor.heartbeat_for, "configuration", essential=False)
                    for name, work in live.create_tasks(settings.config_poll_seconds, steps, switched).items():
                        group.start(name, work)
                    await owner.run(ready)
            finally:
                await stop_client(consumer)
                await live.current.models.close()

    return Service(
        name=NAME,
        run=run,
        supervisor=supervisor,
        unready_reasons=lambda: [*bus.unready_reasons(), *refused.unready_reasons(), *catalog.unready_reasons()],
        degraded_reasons=lambda: [
            *live.explain_degraded(),
            *refused.explain_degraded(),
            *circuits.explain_degraded(),
        ],
        config_version=lambda: live.version,
        tracing=tracing,
    )
