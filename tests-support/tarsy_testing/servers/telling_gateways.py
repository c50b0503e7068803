"""Tool gateways as the topics know them: they announce themselves, and say what they see of MCP servers."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import httpx2
from aiokafka.admin import NewTopic
from fastapi import FastAPI

from tarsy_bus.client.connection import Bus
from tarsy_bus.client.publisher import Publisher
from tarsy_bus.topics.topics_admin import admin
from tarsy_contracts.messages.workers import CatalogTool, ServerCatalogued, WorkerAnnounced
from tarsy_contracts.wire.envelope import envelope_of
from tarsy_contracts.wire.topics import Topics
from tarsy_service.http.problem_handlers import install_problem_handlers
from tarsy_service.supervision import Supervisor
from tarsy_testing.real_servers import WAIT_SECONDS, eventually
from tarsy_timeline.api.system_routes import system_routes
from tarsy_timeline.system.server_watch import ServerWatch
from tarsy_timeline.system.worker_liveness import WorkerLiveness

CHECKED = datetime(2026, 11, 22, 10, 0, 30, tzinfo=UTC)
DEAD_SOON = timedelta(seconds=2)
"""For a test in which a gateway falls silent. In all others a late announcement of a busy machine is no death."""


def tool(name: str, description: str = "") -> CatalogTool:
    return CatalogTool(tool=name, description=description, input_schema={"type": "object"}, repeatable=False)


@dataclass
class TellingGateway:
    publisher: Publisher
    worker_id: str = field(default_factory=lambda: str(uuid4()))

    async def announce(self, *, leaving: bool = False) -> None:
        said = WorkerAnnounced(worker_id=self.worker_id, service="tool-gateway", leaving=leaving)
        await self._publish(self.publisher.topics.workers, said, self.worker_id)

    async def says(self, server: str, *tools: CatalogTool, error: str = "", misconfigured: bool = False) -> None:
        """It reaches the server, unless there is an `error`."""
        seen = ServerCatalogued(
            server=server,
            worker_id=self.worker_id,
            healthy=not error,
            error=error,
            tools=tools,
            misconfigured=misconfigured,
            protocol_version="2025-11-25",
            server_version=f"{server} 1.2",
            checked_at=CHECKED,
        )
        await self._publish(self.publisher.topics.catalog, seen, f"{server}/{self.worker_id}")

    async def withdraws(self, server: str) -> None:
        gone = ServerCatalogued(server=server, worker_id=self.worker_id, healthy=False, error="", tools=())
        envelope = envelope_of(gone, id=str(uuid4()), source="test", subject=server, time=CHECKED)
        key = f"{server}/{self.worker_id}".encode()
        await self.publisher.write(self.publisher.topics.catalog, key=key, value=None, headers=envelope.headers())

    async def _publish(self, topic: str, message: WorkerAnnounced | ServerCatalogued, key: str) -> None:
        await self.publisher.publish(topic, message, key=key, id=str(uuid4()), subject=key)


@asynccontextmanager
async def telling_bus(bootstrap: str) -> AsyncIterator[Bus]:
    """Only the topics that are needed here: all of ours would take seconds each time."""
    bus = Bus(bootstrap=bootstrap, topics=Topics(f"t{uuid4().hex[:12]}"), client="test")
    ours = [bus.topics.catalog, bus.topics.workers]
    configs = {"message.timestamp.type": "LogAppendTime", "max.message.bytes": "6000000"}
    async with admin(bus) as client:

        async def listed() -> bool:
            return set(ours) <= set(await client.list_topics())

        await client.create_topics([NewTopic(name, 1, 1, topic_configs=configs) for name in ours])
        await eventually(listed, "the topics are listed")
        yield bus
        await client.delete_topics(ours)


@asynccontextmanager
async def publishing(bus: Bus) -> AsyncIterator[Publisher]:
    async with Publisher(bus, source="test", now=lambda: datetime.now(UTC)).running() as publisher:
        yield publisher


@asynccontextmanager
async def watching(bus: Bus, *, dead_after: timedelta = timedelta(minutes=10)) -> AsyncIterator[httpx2.AsyncClient]:
    """The API, with nothing behind it but the watch."""
    living = WorkerLiveness(dead_after=dead_after)
    watch = ServerWatch(bus, living, wait_seconds=WAIT_SECONDS, now=lambda: datetime.now(UTC))
    async with asking(watch) as client:
        running = asyncio.create_task(watch.run(Supervisor()))
        try:
            yield client
        finally:
            running.cancel()
            await asyncio.wait([running])


@asynccontextmanager
async def asking(watch: ServerWatch) -> AsyncIterator[httpx2.AsyncClient]:
    app = FastAPI()
    install_problem_handlers(app)
    app.include_router(system_routes(watch))
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://localhost") as client:
        yield client


async def announce_all(gateways: Sequence[TellingGateway]) -> None:
    """For ever, as living gateways do."""
    while True:
        for gateway in gateways:
            await gateway.announce()
        await asyncio.sleep(0.3)
