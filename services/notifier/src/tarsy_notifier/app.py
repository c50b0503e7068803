"""Composition root of the notifier: the only place that picks implementations."""

import asyncio
import os
from datetime import UTC, datetime
from functools import partial
from uuid import uuid4

from prometheus_client import CollectorRegistry

from tarsy_bus.client.broker_connections import BrokerConnections
from tarsy_bus.client.connection import bus_of
from tarsy_bus.liveness.kafka_watch import KafkaWatch
from tarsy_bus.topics import kafka_rights
from tarsy_bus.topics.topics_admin import await_topics
from tarsy_config.checks.receiver_secrets import receiver_secrets_are_set
from tarsy_config.loading.live_config import ConfigSource, LiveConfig
from tarsy_notifier.digest.claims import DigestClaimClient
from tarsy_notifier.digest.feeds import DigestFeeds
from tarsy_notifier.metrics import Metrics
from tarsy_notifier.receiver import NotificationReceiver
from tarsy_notifier.receivers import ReceiverPlan, Receivers, plans_of
from tarsy_notifier.sessions import SessionDirectory
from tarsy_notifier.settings import NotifierSettings
from tarsy_notifier.webhook.receiver import WebhookReceiver
from tarsy_notifier.webhook.signature import secret_bytes
from tarsy_service.process.service import Ready, Service
from tarsy_service.supervision import Supervisor
from tarsy_service.telemetry.config_metrics import observe_config_verdicts
from tarsy_service.telemetry.kafka_metrics import unparsable_records
from tarsy_service.telemetry.tracing import create_tracing

NAME = "notifier"


def build(
    settings: NotifierSettings, registry: CollectorRegistry, connections: BrokerConnections | None = None
) -> Service:
    """Raises InvalidConfigError."""
    source = ConfigSource(settings.config_dir, os.environ, also=(receiver_secrets_are_set,))
    config = LiveConfig(
        source,
        lambda now, _: plans_of(now, os.environ, settings.base_path),
        judged=observe_config_verdicts(registry, NAME),
    )
    bus = bus_of(
        settings, unparsable=unparsable_records(registry, NAME, kafka_rights.NOTIFIER.reads), connections=connections
    )
    sessions = SessionDirectory(settings.timeline_url, settings.asking_headers)
    supervisor = Supervisor()
    claims = DigestClaimClient(settings.timeline_url, settings.asking_headers, str(uuid4()))
    metrics = Metrics(registry)
    receivers = Receivers(
        bus, lambda: config.current, new_receiver, sessions, metrics, supervisor, now=now, sleep=asyncio.sleep
    )
    digests = DigestFeeds(
        lambda: config.current, new_receiver, claims, metrics, supervisor, now=now, sleep=asyncio.sleep
    )

    def wake() -> None:
        receivers.wake()
        digests.wake()

    async def run(ready: Ready) -> None:
        await await_topics(bus, kafka_rights.NOTIFIER)
        async with sessions.running(), claims.running(), supervisor.group() as group:
            group.start("kafka", KafkaWatch(bus).run())
            group.start("receivers", receivers.run(group, ready))
            group.start("digests", digests.run(group))
            steps = partial(supervisor.heartbeat_for, "configuration", essential=False)
            following = config.create_tasks(settings.config_poll_seconds, steps, wake)
            for name, work in following.items():
                group.start(name, work)

    return Service(
        name=NAME,
        run=run,
        supervisor=supervisor,
        unready_reasons=bus.unready_reasons,
        degraded_reasons=lambda: [
            *config.explain_degraded(),
            *receivers.explain_degraded(),
            *digests.explain_degraded(),
        ],
        config_version=lambda: config.version,
        tracing=create_tracing(NAME, settings),
    )


def new_receiver(plan: ReceiverPlan) -> NotificationReceiver:
    receiver, secret = plan.receiver, plan.secret
    if receiver.type == "slack":
        # Here, because most have none, and Slack's client would lie in the memory of all services that are forks.
        from tarsy_notifier.slack.receiver import SlackReceiver

        return SlackReceiver(receiver.channel or "", secret or "", receiver.api_url)
    return WebhookReceiver(
        plan.name,
        receiver.url or "",
        receiver.format,
        secret=None if secret is None else secret_bytes(secret),
        dashboard_url=plan.dashboard_url,
        now=now,
    )


def now() -> datetime:
    return datetime.now(UTC)
