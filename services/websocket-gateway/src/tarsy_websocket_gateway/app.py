"""The composition root."""

import asyncio

from fastapi import WebSocket
from prometheus_client import CollectorRegistry

from tarsy_bus import kafka_rights
from tarsy_bus.broker_connections import BrokerConnections
from tarsy_bus.connection import bus_of
from tarsy_service.kafka_metrics import unparsable_records
from tarsy_service.service import Ready, Service
from tarsy_service.supervision import Supervisor
from tarsy_service.tracing import tracing_of
from tarsy_websocket_gateway.connection import Connection
from tarsy_websocket_gateway.hub import Client, Hub
from tarsy_websocket_gateway.metrics import Metrics
from tarsy_websocket_gateway.page_assets import load_page
from tarsy_websocket_gateway.page_routes import page_routes
from tarsy_websocket_gateway.reader import Reader
from tarsy_websocket_gateway.routes import websocket_routes
from tarsy_websocket_gateway.settings import GatewaySettings
from tarsy_websocket_gateway.timeline_api import TimelineApi

NAME = "websocket-gateway"


def build(
    settings: GatewaySettings, registry: CollectorRegistry, connections: BrokerConnections | None = None
) -> Service:
    bus = bus_of(
        settings,
        unparsable=unparsable_records(registry, NAME, kafka_rights.WEBSOCKET_GATEWAY.reads),
        connections=connections,
    )
    hub, metrics, tracing = Hub(), Metrics(registry), tracing_of(NAME, settings)
    supervisor, timeline = Supervisor(), TimelineApi(settings.timeline_url)
    reader = Reader(bus, timeline, hub, metrics, tracing.read_tracer)
    metrics.watch(subscriptions=hub.subscriptions, lag_seconds=reader.lag_seconds)

    def new_connection(websocket: WebSocket) -> Connection:
        return Connection(websocket, Client(settings.client_queue), hub, reader, metrics)

    async def run(ready: Ready) -> None:
        async with timeline.running(), supervisor.group() as group:
            caught_up = asyncio.Event()
            group.start("session log", reader.follow_log(caught_up, supervisor.steps("session log")))
            group.start("questions to the timeline", reader.ask_timeline())
            await caught_up.wait()
            group.start("stream", reader.follow_stream(supervisor.steps("stream")))
            hub.open = True
            ready()

    router = websocket_routes(hub, new_connection, settings.allowed_origins, metrics)
    router.include_router(page_routes(load_page()))
    return Service(name=NAME, run=run, router=router, supervisor=supervisor, tracing=tracing)
