"""The composition root of the ingest: alerts in, over HTTP and Kafka."""

import os
from datetime import UTC, datetime
from functools import partial

from prometheus_client import CollectorRegistry

from tarsy_bus import kafka_rights
from tarsy_bus.connection import bus_of
from tarsy_bus.publisher import Publisher
from tarsy_bus.topics_admin import check_topics, cluster_id
from tarsy_config.load import load_config
from tarsy_ingest.alert_rules import rules_of
from tarsy_ingest.alerts_reader import AlertsReader
from tarsy_ingest.alerts_topic import AlertsTopic
from tarsy_ingest.http_api import alerts_router
from tarsy_ingest.intake import Intake
from tarsy_ingest.masking import AlertMaskers
from tarsy_ingest.metrics import Metrics
from tarsy_ingest.settings import IngestSettings
from tarsy_masking.masker import Masker
from tarsy_service.kafka_metrics import kafka_writes, unparsable_records
from tarsy_service.service import Ready, Service
from tarsy_service.supervision import Supervisor
from tarsy_service.tracing import tracing_of

NAME = "ingest"


def build(settings: IngestSettings, registry: CollectorRegistry) -> Service:
    """Raises InvalidConfigError."""
    config = load_config(settings.config_dir, os.environ)
    rules = rules_of(config)
    masker = Masker.default(settings.masking_key_bytes)
    masking = AlertMaskers(masker, masker.with_rules(config.defaults.alert_masking.names, ()))
    bus = bus_of(settings, kafka_writes(registry, NAME), unparsable_records(registry, NAME))
    metrics = Metrics(registry)
    publisher = Publisher(bus, source=NAME, now=lambda: datetime.now(UTC))
    tracing, supervisor = tracing_of(NAME, settings), Supervisor()
    intake = Intake(publisher, masking, metrics, tracing.tracer)
    topic = AlertsTopic(bus, publisher, intake, rules, metrics, masker.mask)
    reader = AlertsReader(topic, partial(cluster_id, bus), metrics, supervisor)

    async def run(ready: Ready) -> None:
        await check_topics(bus, kafka_rights.INGEST)
        async with intake.running():
            await supervisor.run("alerts topic", reader.run(ready))

    return Service(
        name=NAME,
        run=run,
        router=alerts_router(intake, rules, metrics, masker.mask),
        degraded_reasons=reader.degraded_reasons,
        supervisor=supervisor,
        tracing=tracing,
    )
