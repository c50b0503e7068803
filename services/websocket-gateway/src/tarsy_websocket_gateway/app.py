"""The composition root."""

import asyncio
import time
from datetime import UTC, datetime
from functools import cache
from uuid import uuid4

from fastapi import WebSocket
from prometheus_client import CollectorRegistry

from tarsy_audit.page_logins import PageLoginTrail
from tarsy_bus.client.broker_connections import BrokerConnections
from tarsy_bus.client.connection import bus_of
from tarsy_bus.client.publisher import Publisher
from tarsy_bus.liveness.kafka_watch import KafkaWatch
from tarsy_bus.topics import kafka_rights
from tarsy_masking.masker import Masker
from tarsy_service.http.websocket_frames import frame_writer
from tarsy_service.process.service import Ready, Service
from tarsy_service.supervision import Supervisor
from tarsy_service.telemetry.kafka_metrics import kafka_writes, unparsable_records
from tarsy_service.telemetry.tracing import create_tracing
from tarsy_websocket_gateway.clients.client import Client
from tarsy_websocket_gateway.clients.connection import Connection
from tarsy_websocket_gateway.clients.hub import Hub
from tarsy_websocket_gateway.clients.routes import WEBSOCKET, ClientLimit, websocket_routes
from tarsy_websocket_gateway.clients.watched_sessions import WatchedSessions
from tarsy_websocket_gateway.log.reader import WatchedLog
from tarsy_websocket_gateway.login.records import LoginRecords
from tarsy_websocket_gateway.login.routes import login_routes
from tarsy_websocket_gateway.messages.feed import Feed
from tarsy_websocket_gateway.metrics import Metrics
from tarsy_websocket_gateway.page_files.assets import load_page
from tarsy_websocket_gateway.page_files.routes import page_routes
from tarsy_websocket_gateway.rights import RIGHTS
from tarsy_websocket_gateway.settings import GatewaySettings
from tarsy_websocket_gateway.streams.stream_reader import StreamReader
from tarsy_websocket_gateway.timeline.endings import Endings
from tarsy_websocket_gateway.timeline.history_desk import HistoryDesk
from tarsy_websocket_gateway.timeline.timeline_api import TimelineApi
from tarsy_websocket_gateway.timeline.timeline_progress import TimelineProgress

NAME = "websocket-gateway"


@cache
def _shared_masker() -> Masker:
    """Made for the first login: most gateways have none.

    It needs no TARSY_MASKING_KEY: a key makes digits for the placeholders of a session, and a login is in none.
    """
    return Masker.default()


def _mask_text(text: str) -> str:
    return _shared_masker().mask(text)


def build(
    settings: GatewaySettings, registry: CollectorRegistry, connections: BrokerConnections | None = None
) -> Service:
    bus = bus_of(
        settings,
        kafka_writes(registry, NAME),
        unparsable_records(registry, NAME, kafka_rights.WEBSOCKET_GATEWAY.reads),
        connections,
    )
    publisher = Publisher(bus, source="tarsy/websocket-gateway", now=lambda: datetime.now(UTC), write_seconds=5.0)
    hub, metrics, tracing = Hub(), Metrics(registry), create_tracing(NAME, settings)
    supervisor, timeline, feed = Supervisor(), TimelineApi(settings.timeline_url, settings.asking_headers), Feed()
    desk, progress = HistoryDesk(timeline), TimelineProgress(timeline)
    endings = Endings(hub.publish, progress)
    log = WatchedLog(bus, timeline, feed, endings, tracing.read_tracer)
    stream = StreamReader(bus, feed, endings.publish, metrics)
    sessions = WatchedSessions(
        bus, hub, log, stream, feed, desk, timeline, progress, appear_seconds=settings.appear_seconds
    )
    metrics.watch(subscriptions=hub.subscriptions, lag_seconds=log.lag_seconds, partitions=lambda: len(log.positions()))

    def new_connection(websocket: WebSocket) -> Connection:
        client = Client(frame_writer(websocket), settings.client_queue, sent=metrics.sent.inc)
        return Connection(websocket, client, hub, sessions, metrics, time.time)

    async def run(ready: Ready) -> None:
        async with timeline.running(), publisher.running(), supervisor.group() as group:
            found = asyncio.Event()
            group.start("kafka", KafkaWatch(bus).run())
            group.start("session log", log.run(found, supervisor.heartbeat_for("session log")))
            group.start("questions to the timeline", log.ask_timeline())
            group.start("histories", desk.run())
            group.start("position of the timeline", progress.run())
            group.start("ends of sessions", endings.run())
            await found.wait()
            group.start("stream", stream.run(sessions.last_number, supervisor.heartbeat_for("stream")))
            hub.open = True
            ready()

    limit = ClientLimit(settings.most_clients)
    router = websocket_routes(hub, new_connection, metrics, limit)
    page = load_page(settings.base_path)
    router.include_router(page_routes(page))
    records = LoginRecords(
        PageLoginTrail(publisher, _mask_text, lambda: str(uuid4()), time.monotonic).record_unless_repeated
    )
    router.include_router(login_routes(page.version, records, time.time, time.monotonic))
    return Service(
        name=NAME,
        run=run,
        router=router,
        rights=RIGHTS,
        takes=(f"GET {WEBSOCKET}",),
        unready_reasons=bus.unready_reasons,
        supervisor=supervisor,
        tracing=tracing,
    )
