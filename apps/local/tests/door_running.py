"""Front doors over real sockets, and services behind them that do as a test wants."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from starlette.types import ASGIApp

from tarsy_local.addresses import HOST
from tarsy_local.front_door.door import Doorway
from tarsy_local.front_door.http_proxy import HttpProxy
from tarsy_local.front_door.routes import OUTSIDE
from tarsy_processes.ports import free_port
from tarsy_service.http.bounded_http import HttpLimits
from tarsy_service.http.server import DEFAULT_LIMITS, proxy_server

LARGE_MESSAGES = HttpLimits(websocket_bytes=16 * 1024 * 1024)

type Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@dataclass
class Behind:
    """Who can be asked: what a test says."""

    ports: dict[str, list[int]] = field(default_factory=dict)
    stopping: bool = False
    counts: list[tuple[str, int]] = field(default_factory=list)

    def ready(self, service: str) -> list[int]:
        return self.ports.get(service, [])

    def counted(self, service: str, status: int) -> None:
        self.counts.append((service, status))


@asynccontextmanager
async def door(
    behind: Behind, *, wait_seconds: float = 90.0, limits: HttpLimits = DEFAULT_LIMITS
) -> AsyncIterator[str]:
    """Its address, HOST:PORT."""
    port = free_port()
    async with (
        HttpProxy(behind, behind.counted, wait_seconds=wait_seconds).running() as proxy,
        proxy_server(Doorway(OUTSIDE, proxy), HOST, port, limits=limits),
    ):
        yield f"{HOST}:{port}"


@asynccontextmanager
async def service(app: ASGIApp) -> AsyncIterator[int]:
    port = free_port()
    async with proxy_server(app, HOST, port, limits=LARGE_MESSAGES):
        yield port


@asynccontextmanager
async def raw_service(talk: Talk) -> AsyncIterator[int]:
    """One that speaks bytes, for what no server would do."""

    async def talked(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await talk(reader, writer)
        finally:
            writer.transport.abort()

    port = free_port()
    server = await asyncio.start_server(talked, HOST, port)
    try:
        yield port
    finally:
        server.close()
        server.close_clients()
        await server.wait_closed()
