"""The doors of an ingest whose Kafka is a list: what becomes of a sender's body, without a broker.

What Kafka itself does is tried elsewhere, on the real one.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import override

import httpx2
from aiokafka.structs import RecordMetadata
from opentelemetry.trace import NoOpTracer
from prometheus_client import CollectorRegistry

from tarsy_audit.trail import AuditTrail
from tarsy_bus.client.publisher import Publisher
from tarsy_config.loading.load import load_config
from tarsy_contracts.wire.message import Message
from tarsy_contracts.wire.topics import Topics
from tarsy_ingest.alert_rules import rules_of
from tarsy_ingest.doors.http_api import alerts_router
from tarsy_ingest.doors.write_gate import WriteGate
from tarsy_ingest.intake.alert_intake import Intake
from tarsy_ingest.intake.alert_masking import AlertMaskers
from tarsy_ingest.intake.identity import AlertIdentities
from tarsy_ingest.intake.known_sessions import KnownSessions
from tarsy_ingest.intake.pending_sessions import PendingSessions
from tarsy_ingest.intake.sender_rates import SenderRates
from tarsy_ingest.metrics import Metrics
from tarsy_masking.masker import Masker
from tarsy_service.process.runner import Readiness, build_app
from tarsy_service.process.service import Service


class ListedPublisher(Publisher):
    """Keeps what is written to the inbox."""

    def __init__(self) -> None:
        self.topics = Topics()
        self.inbox: list[Message] = []

    @asynccontextmanager
    @override
    async def running(self) -> AsyncIterator[Publisher]:
        yield self

    @property
    @override
    def is_running(self) -> bool:
        return True

    @override
    async def publish(
        self,
        topic: str,
        message: Message,
        *,
        key: str,
        id: str,
        subject: str,
        partition: int | None = None,
        traceparent: str | None = None,
    ) -> RecordMetadata:
        if topic == self.topics.inbox:
            self.inbox.append(message)
        return RecordMetadata(topic, 0, None, len(self.inbox), 0, 0, 0)


class FieldDoor:
    def __init__(self, config_dir: Path) -> None:
        self.registry = CollectorRegistry()
        self.publisher = ListedPublisher()
        rules, masker = rules_of(load_config(config_dir, {})), Masker.default(b"k" * 32)
        metrics = Metrics(self.registry)
        identities = AlertIdentities(lambda: rules.handling, lambda: 12, key=b"k" * 32, mask=masker.mask)
        self.intake = Intake(
            self.publisher,
            lambda: AlertMaskers(masker, masker),
            metrics,
            NoOpTracer(),
            identities,
            KnownSessions(),
            PendingSessions(lambda: 1_000),
        )
        trail = AuditTrail(self.publisher, masker.mask, lambda: "id")
        router = alerts_router(
            self.intake, lambda: rules, metrics, masker.mask, WriteGate(metrics), SenderRates(0, 1), {}, trail
        )
        service = Service(name="ingest", run=_never, router=router)
        self.app = build_app([service], Readiness([service.name]), self.registry)

    @asynccontextmanager
    async def open(self) -> AsyncIterator[httpx2.AsyncClient]:
        transport = httpx2.ASGITransport(app=self.app)
        async with (
            self.intake.running(),
            httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client,
        ):
            yield client


async def _never(_: object) -> None:
    raise AssertionError("the service does not run")
