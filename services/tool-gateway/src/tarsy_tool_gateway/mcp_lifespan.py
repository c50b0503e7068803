"""Lifespan of all MCP connections: each has its own task, so that a slow or dead server delays no other."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import structlog

from tarsy_service.supervision import Supervisor
from tarsy_tool_gateway.catalog import CatalogPublisher
from tarsy_tool_gateway.mcp.connection import McpConnection
from tarsy_tool_gateway.mcp.per_session_pool import PerSessionPool

log = structlog.get_logger(__name__)

CLOSE_SECONDS = 5.0
"""A program is given two seconds to end by itself, and two more after SIGTERM."""


@asynccontextmanager
async def connected(
    connections: Sequence[McpConnection],
    isolated: Sequence[PerSessionPool],
    catalog: CatalogPublisher,
    supervisor: Supervisor,
) -> AsyncIterator[None]:
    """Sessions, and what the catalog says of them, for as long as the body runs."""
    owners: list[McpConnection | PerSessionPool] = [*connections, *isolated]
    told_to_stop = asyncio.Event()
    async with supervisor.group() as group:
        tasks = [
            group.start(f"{_kind(each)} {each.plan.name}", each.run(), may_end=told_to_stop.is_set) for each in owners
        ]
        entries = {f"catalog of {each.plan.name}": catalog.keep(each) for each in connections}
        try:
            async with supervisor.background(entries):
                yield
        finally:
            told_to_stop.set()
            await asyncio.gather(*(catalog.withdraw(each) for each in connections))
            await _close(owners, tasks)


def _kind(owner: McpConnection | PerSessionPool) -> str:
    return "MCP server" if isinstance(owner, McpConnection) else "sessions with MCP server"


async def _close(owners: Sequence[McpConnection | PerSessionPool], tasks: Sequence[asyncio.Task[None]]) -> None:
    if not tasks:
        return
    for owner in owners:
        owner.stop()
    _, late = await asyncio.wait(tasks, timeout=CLOSE_SECONDS)
    for task in late:
        log.warning("mcp_server.not_closed", task=task.get_name())
        task.cancel()
