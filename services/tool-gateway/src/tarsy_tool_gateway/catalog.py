"""What this gateway sees of each MCP server, on the compacted topic: tools and health, and nothing once it is gone."""

import asyncio
from collections.abc import Callable
from datetime import datetime
from typing import Any

import structlog
from mcp_types import Tool
from pydantic import JsonValue

from tarsy_bus.publisher import NotWritten, Publisher, TooLarge
from tarsy_contracts.envelope import envelope_of
from tarsy_contracts.workers import CatalogTool, ServerCatalogued
from tarsy_tool_gateway.connection import Connection
from tarsy_tool_gateway.listing import is_repeatable

log = structlog.get_logger(__name__)

EVERY_SECONDS = 30.0


class Catalog:
    def __init__(
        self,
        publisher: Publisher,
        *,
        worker_id: str,
        source: str,
        mask: Callable[[str], str],
        now: Callable[[], datetime],
        new_id: Callable[[], str],
    ) -> None:
        self._publisher = publisher
        self._worker_id = worker_id
        self._source = source
        self._mask = mask
        self._now = now
        self._new_id = new_id

    async def keep(self, connection: Connection) -> None:
        """Publishes for ever: at every change, and now and then; then the server is asked for its tools again."""
        while True:
            connection.changed.clear()
            await self._publish(self._seen(connection))
            try:
                async with asyncio.timeout(EVERY_SECONDS):
                    await connection.changed.wait()
            except TimeoutError:
                await connection.check()

    async def withdraw(self, connection: Connection) -> None:
        """A tombstone: this process sees nothing any longer. Best effort, a dead worker's entries do not count."""
        gone = ServerCatalogued(
            server=connection.plan.name, worker_id=self._worker_id, healthy=False, error="", tools=()
        )
        envelope = envelope_of(
            gone, id=self._new_id(), source=self._source, subject=connection.plan.name, time=self._now()
        )
        try:
            await self._publisher.write(
                self._publisher.topics.catalog, key=self._key(gone), value=None, headers=envelope.headers()
            )
        except NotWritten:
            log.warning("catalog.not_withdrawn", server=gone.server)

    def _seen(self, connection: Connection) -> ServerCatalogued:
        return ServerCatalogued(
            server=connection.plan.name,
            worker_id=self._worker_id,
            healthy=connection.healthy,
            error="" if connection.healthy else connection.error,
            tools=tuple(self._tool(tool, connection.plan.repeatable_tools) for tool in connection.tools.values()),
        )

    def _tool(self, tool: Tool, declared: frozenset[str]) -> CatalogTool:
        return CatalogTool(
            tool=tool.name,
            description=self._mask(tool.description or ""),
            input_schema={key: masked_strings(value, self._mask) for key, value in tool.input_schema.items()},
            repeatable=is_repeatable(tool, declared),
        )

    async def _publish(self, seen: ServerCatalogued) -> None:
        try:
            await self._write(seen)
        except NotWritten:
            log.warning("catalog.not_written", server=seen.server)
        except TooLarge as problem:
            log.error("catalog.too_large", server=seen.server)
            await self._publish(seen.model_copy(update={"healthy": False, "error": str(problem), "tools": ()}))

    async def _write(self, seen: ServerCatalogued) -> None:
        await self._publisher.publish(
            self._publisher.topics.catalog,
            seen,
            key=self._key(seen).decode(),
            id=self._new_id(),
            subject=seen.server,
        )

    def _key(self, seen: ServerCatalogued) -> bytes:
        return f"{seen.server}/{self._worker_id}".encode()


def masked_strings(value: Any, mask: Callable[[str], str]) -> JsonValue:
    """A schema stays one: what stands beside a telling key (`password`) is a type here, not a secret."""
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, list):
        return [masked_strings(item, mask) for item in value]
    if isinstance(value, dict):
        return {key: masked_strings(item, mask) for key, item in value.items()}
    return value  # type: ignore[no-any-return]  # a number, a truth value or null: it came out of JSON
