"""Composition root of the summarizer: the only place that picks implementations."""

import asyncio
import os
import time
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from uuid import uuid4

from opentelemetry.trace import Tracer
from prometheus_client import CollectorRegistry

from tarsy_bus.client.broker_connections import BrokerConnections
from tarsy_bus.client.chunk_sender import ChunkSender
from tarsy_bus.client.connection import bus_of
from tarsy_bus.client.publisher import Publisher
from tarsy_bus.topics import kafka_rights
from tarsy_config.checks.keys import keys_are_set
from tarsy_config.configured_models import models_of
from tarsy_config.loading.live_config import ConfigSource, LiveConfig, LiveMapping
from tarsy_llm.circuits import Circuits
from tarsy_llm.protocol import Llm
from tarsy_llm.provider_type import ModelIdentity
from tarsy_llm.providers import close_llms
from tarsy_masking.masker import Masker
from tarsy_service.process.service import Ready, Service
from tarsy_service.telemetry.config_metrics import observe_config_verdicts
from tarsy_service.telemetry.kafka_metrics import kafka_writes, unparsable_records
from tarsy_service.telemetry.model_metrics import ModelCallMetrics, ProviderMetrics
from tarsy_service.telemetry.tracing import create_tracing
from tarsy_summarizer.metrics import Metrics
from tarsy_summarizer.models import Models
from tarsy_summarizer.service import SummarizerService, summary_worker
from tarsy_summarizer.settings import SummarizerSettings
from tarsy_summarizer.summarize import Summarizer

NAME = "summarizer"


def build(
    settings: SummarizerSettings, registry: CollectorRegistry, connections: BrokerConnections | None = None
) -> Service:
    """Raises InvalidConfigError or InvalidScriptError."""
    source = ConfigSource(settings.config_dir, os.environ, also=(keys_are_set,))
    config = LiveConfig(source, models_of, judged=observe_config_verdicts(registry, NAME))
    llms = LiveMapping(lambda: config.current.llms)
    identities = LiveMapping(lambda: config.current.identities)
    tracing = create_tracing(NAME, settings)
    masker = Masker.default(settings.masking_key_bytes, most_findings=settings.masking_most_findings)
    service = assemble(settings, registry, llms, masker, tracing.tracer, identities, connections)
    steps = partial(service.supervisor.heartbeat_for, "configuration", essential=False)
    service = replace(service, configuration=lambda: config.create_tasks(settings.config_poll_seconds, steps))

    async def run(ready: Ready) -> None:
        try:
            await asyncio.to_thread(masker.prepare_streams)
            await service.run(ready)
        finally:
            await close_llms(config.current.replaced)

    return Service(
        name=NAME,
        run=run,
        supervisor=service.supervisor,
        unready_reasons=service.worker.bus.unready_reasons,
        degraded_reasons=lambda: [*config.explain_degraded(), *service.circuits.explain_degraded()],
        config_version=lambda: config.version,
        tracing=tracing,
    )


def assemble(
    settings: SummarizerSettings,
    registry: CollectorRegistry,
    llms: Mapping[str, Llm],
    masker: Masker,
    tracer: Tracer,
    identities: Mapping[str, ModelIdentity] | None = None,
    connections: BrokerConnections | None = None,
) -> SummarizerService:
    bus = bus_of(
        settings,
        kafka_writes(registry, NAME),
        unparsable_records(registry, NAME, kafka_rights.SUMMARIZER.reads),
        connections,
    )
    worker_id, metrics = new_id(), Metrics(registry)
    publisher = Publisher(bus, source=f"{NAME}/{settings.client}", now=now)
    known = {} if identities is None else identities
    circuits = Circuits(llms, ProviderMetrics(registry, NAME), monotonic=time.monotonic, now=now)
    models = Models(
        llms=llms,
        circuits=circuits,
        chunks=ChunkSender(publisher),
        masker=masker,
        now=now,
        monotonic=time.monotonic,
        sleep=asyncio.sleep,
        metrics=metrics,
        model_calls=ModelCallMetrics(registry, NAME, known),
        tracer=tracer,
        identities=known,
    )
    summarizer = Summarizer(bus, models, worker_id=worker_id, input_bytes=settings.summary_input_bytes)
    worker = summary_worker(
        bus,
        publisher,
        worker_id=worker_id,
        name=settings.client,
        summarizer=summarizer,
        metrics=metrics,
        tracer=tracer,
        now=now,
        new_id=new_id,
        at_once=settings.summaries_at_once,
        failing_providers=circuits.list_failing,
    )
    return SummarizerService(worker=worker, summarizer=summarizer, chunks=models.chunks, circuits=circuits)


def now() -> datetime:
    return datetime.now(UTC)


def new_id() -> str:
    return str(uuid4())
