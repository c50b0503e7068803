"""Composition root of the summarizer: the only place that picks implementations."""

import asyncio
import os
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from uuid import uuid4

from opentelemetry.trace import Tracer
from prometheus_client import CollectorRegistry

from tarsy_bus.connection import bus_of
from tarsy_bus.publisher import Publisher
from tarsy_config.keys import keys_are_set
from tarsy_config.load import load_config
from tarsy_llm.protocol import Llm
from tarsy_llm.provider_type import ModelIdentity
from tarsy_llm.providers import build_llms, identify_models
from tarsy_llm.timeouts import StreamLimits
from tarsy_masking.masker import Masker
from tarsy_service.kafka_metrics import kafka_writes, unparsable_records
from tarsy_service.service import Service
from tarsy_service.tracing import tracing_of
from tarsy_summarizer.metrics import Metrics
from tarsy_summarizer.models import Models
from tarsy_summarizer.service import SummarizerService, summary_worker
from tarsy_summarizer.settings import SummarizerSettings
from tarsy_summarizer.summarize import Summarizer

NAME = "summarizer"


def build(settings: SummarizerSettings, registry: CollectorRegistry) -> Service:
    """Raises InvalidConfigError or InvalidScriptError."""
    config = load_config(settings.config_dir, os.environ, also=(keys_are_set,))
    llms = build_llms(config.usable_llm_providers, StreamLimits(config.limits.llm_first_chunk, config.limits.llm_stall))
    tracing = tracing_of(NAME, settings)
    masker = Masker.default(settings.masking_key_bytes)
    service = assemble(settings, registry, llms, masker, tracing.tracer, identify_models(config.usable_llm_providers))
    return Service(name=NAME, run=service.run, supervisor=service.supervisor, tracing=tracing)


def assemble(
    settings: SummarizerSettings,
    registry: CollectorRegistry,
    llms: Mapping[str, Llm],
    masker: Masker,
    tracer: Tracer,
    identities: Mapping[str, ModelIdentity] | None = None,
) -> SummarizerService:
    bus = bus_of(settings, kafka_writes(registry, NAME), unparsable_records(registry, NAME))
    worker_id, metrics = new_id(), Metrics(registry)
    publisher = Publisher(bus, source=f"{NAME}/{settings.client}", now=now)
    models = Models(
        llms=llms,
        publisher=publisher,
        masker=masker,
        now=now,
        monotonic=time.monotonic,
        sleep=asyncio.sleep,
        metrics=metrics,
        tracer=tracer,
        identities=identities or {},
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
    )
    return SummarizerService(worker=worker, summarizer=summarizer)


def now() -> datetime:
    return datetime.now(UTC)


def new_id() -> str:
    return str(uuid4())
