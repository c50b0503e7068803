"""A websocket-gateway in the test's own process, behind a port."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from prometheus_client import CollectorRegistry

from tarsy_bus.client.connection import Bus
from tarsy_processes.ports import free_port
from tarsy_service.process.runner import run_services
from tarsy_testing.real_servers import WAIT_SECONDS
from tarsy_websocket_gateway.app import build
from tarsy_websocket_gateway.settings import GatewaySettings

LIMITS = (
    "timeline.endings.LONGEST_SECONDS",
    "timeline.history_desk.HISTORY_SECONDS",
    "timeline.timeline_api.HISTORY_SECONDS",
    "clients.watched_sessions.LIST_SECONDS",
)
"""How long it waits for the timeline: after that clients are told of an end that the API does not show, or refused."""


@asynccontextmanager
async def running_gateway(bus: Bus, timeline_url: str, *, appear_seconds: float = WAIT_SECONDS) -> AsyncIterator[str]:
    """The address of its WebSocket. It waits for the timeline as long as a busy machine needs."""
    settings = GatewaySettings(
        kafka=bus.bootstrap, topic_prefix=bus.topics.prefix, timeline_url=timeline_url, appear_seconds=appear_seconds
    )
    with pytest.MonkeyPatch.context() as patch:
        for limit in LIMITS:
            patch.setattr(f"tarsy_websocket_gateway.{limit}", WAIT_SECONDS)
        async with _served(settings) as url:
            yield url


@asynccontextmanager
async def _served(settings: GatewaySettings) -> AsyncIterator[str]:
    port, stop, started = free_port(), asyncio.Event(), asyncio.Event()
    registry = CollectorRegistry()
    async with asyncio.TaskGroup() as group:
        group.create_task(
            run_services(
                [build(settings, registry)], host="127.0.0.1", port=port, registry=registry, shutdown_seconds=5,
                on_ready=started.set, stop=stop,
            )
        )  # fmt: skip
        async with asyncio.timeout(WAIT_SECONDS):
            await started.wait()
        yield f"ws://127.0.0.1:{port}/api/v1/ws"
        stop.set()
