"""The composition root of the ingest: alerts in, over HTTP and Kafka."""

import os
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from uuid import uuid4

import structlog
from fastapi import APIRouter
from prometheus_client import CollectorRegistry

from tarsy_audit.trail import AuditTrail
from tarsy_bus.client.broker_connections import BrokerConnections
from tarsy_bus.client.connection import bus_of
from tarsy_bus.client.publisher import Publisher
from tarsy_bus.liveness.kafka_watch import KafkaWatch
from tarsy_bus.topics import kafka_rights
from tarsy_bus.topics.optional_rights import describe_missing_read
from tarsy_bus.topics.topics_admin import await_topics, cluster_id
from tarsy_config.config import Config
from tarsy_config.loading.live_config import ConfigSource, LiveConfig
from tarsy_ingest.alert_rules import AlertRules, rules_of
from tarsy_ingest.doors.configuration_answers import Offered, describe_offer
from tarsy_ingest.doors.configuration_routes import configuration_routes, internal_routes
from tarsy_ingest.doors.http_api import alerts_router
from tarsy_ingest.doors.write_gate import WRITE_SECONDS, WriteGate
from tarsy_ingest.formats import pagerduty
from tarsy_ingest.intake.alert_intake import Intake
from tarsy_ingest.intake.alert_masking import AlertMaskers
from tarsy_ingest.intake.heads_follower import HeadsFollower
from tarsy_ingest.intake.identity import AlertIdentities
from tarsy_ingest.intake.known_sessions import KnownSessions
from tarsy_ingest.intake.pending_sessions import PendingSessions
from tarsy_ingest.intake.queue_follower import QueueFollower
from tarsy_ingest.intake.sender_rates import SenderRates
from tarsy_ingest.metrics import Metrics
from tarsy_ingest.rights import RIGHTS
from tarsy_ingest.settings import IngestSettings
from tarsy_ingest.tool_follower import ToolFollower
from tarsy_ingest.topic.alerts_reader import AlertsReader
from tarsy_ingest.topic.alerts_topic import AlertsTopic
from tarsy_masking.masker import Masker
from tarsy_service.http.direct_calls import DirectRoute
from tarsy_service.process.alerts_under_way import AlertsUnderWay
from tarsy_service.process.service import Ready, Service
from tarsy_service.supervision import Supervisor
from tarsy_service.telemetry.config_metrics import observe_config_verdicts
from tarsy_service.telemetry.kafka_metrics import count_misplaced_records, kafka_writes, unparsable_records
from tarsy_service.telemetry.tracing import create_tracing

log = structlog.get_logger(__name__)

NAME = "ingest"
ALERTS_REQUEST = "POST /api/v1/alerts"
"""Includes the paths below, where each format has its route."""
QUEUE_FULL = (
    "The queue is full (queue.max_pending): alerts over HTTP are answered 503, and those on the topic stay there."
)


@dataclass(frozen=True, slots=True)
class Ruling:
    """Parts of a configuration by which alerts are judged and masked, and what is shown of it."""

    rules: AlertRules
    masking: AlertMaskers
    offered: Offered


def _make_ruling(masker: Masker, config: Config, before: Ruling | None) -> Ruling:
    names = config.defaults.alert_masking.names
    maskers = AlertMaskers(masker, masker.with_rules(names, ()))
    return Ruling(rules_of(config), maskers, describe_offer(config, masker.mask))


def build(
    settings: IngestSettings,
    registry: CollectorRegistry,
    connections: BrokerConnections | None = None,
    under_way: AlertsUnderWay | None = None,
) -> Service:
    """`under_way`: of a process that investigates, too. Raises InvalidConfigError."""
    masker = Masker.default(settings.masking_key_bytes, most_findings=settings.masking_most_findings)
    source = ConfigSource(settings.config_dir, os.environ)
    config = LiveConfig(source, partial(_make_ruling, masker), judged=observe_config_verdicts(registry, NAME))
    metrics = Metrics(registry)
    gate = WriteGate(metrics, under_way=under_way)
    bus = bus_of(
        settings,
        gate.wrap_observer(kafka_writes(registry, NAME)),
        unparsable_records(registry, NAME, kafka_rights.INGEST.reads),
        connections,
        count_misplaced_records(registry, NAME, "heads"),
    )
    publisher = Publisher(bus, source=NAME, now=lambda: datetime.now(UTC), write_seconds=WRITE_SECONDS)
    tracing, supervisor = create_tracing(NAME, settings), Supervisor()
    identities = AlertIdentities(
        lambda: config.current.rules.handling,
        lambda: bus.layout.log_partitions,
        key=settings.masking_key_bytes,
        mask=masker.mask,
    )
    known, pending = KnownSessions(), PendingSessions(lambda: config.current.rules.max_pending)
    metrics.watch(pending=lambda: pending.waiting)
    intake = Intake(publisher, lambda: config.current.masking, metrics, tracing.tracer, identities, known, pending)
    heads, queues = HeadsFollower(bus, known, supervisor), QueueFollower(bus, pending, supervisor)
    find_refusal = partial(describe_missing_read, bus, kafka_rights.INGEST, bus.topics.catalog)
    tools = ToolFollower(bus, supervisor, find_refusal)

    def rules() -> AlertRules:
        judging: AlertRules = config.current.rules
        return replace(judging, mcp_tools=tools.known)

    topic = AlertsTopic(bus, publisher, intake, rules, metrics, masker.mask)
    reader = AlertsReader(topic, partial(cluster_id, bus), metrics, supervisor)

    router = APIRouter()
    secrets = {pagerduty.SOURCE: settings.pagerduty_secrets}
    rates = SenderRates(settings.alerts_per_second, settings.alerts_burst)
    trail = AuditTrail(publisher, masker.mask, lambda: str(uuid4()))
    alerts = alerts_router(intake, rules, metrics, masker.mask, gate, rates, secrets, trail)
    router.include_router(alerts)
    router.include_router(configuration_routes(lambda: config.current.offered))
    router.include_router(internal_routes(rules, lambda: config.current.offered))

    async def run(ready: Ready) -> None:
        if not settings.pagerduty_secrets:
            log.info("pagerduty.signatures_not_checked", setting="TARSY_PAGERDUTY_WEBHOOK_SECRETS")
        await await_topics(bus, kafka_rights.INGEST)
        steps = partial(supervisor.heartbeat_for, "configuration", essential=False)
        following = {
            **config.create_tasks(settings.config_poll_seconds, steps),
            "kafka": KafkaWatch(bus).run(),
            "heads": heads.run(),
            "queues": queues.run(),
            "tools": tools.run(),
        }
        async with intake.running(), supervisor.background(following):
            await supervisor.run("alerts topic", reader.run(ready))

    return Service(
        name=NAME,
        run=run,
        router=router,
        unready_reasons=bus.unready_reasons,
        direct_routes=[route for route in alerts.routes if isinstance(route, DirectRoute)],
        rights=RIGHTS,
        degraded_reasons=lambda: [
            *reader.explain_degraded(),
            *tools.explain_degraded(),
            *config.explain_degraded(),
            *([QUEUE_FULL] if pending.is_full else []),
        ],
        config_version=lambda: config.version,
        supervisor=supervisor,
        takes=(ALERTS_REQUEST,),
        tracing=tracing,
    )
