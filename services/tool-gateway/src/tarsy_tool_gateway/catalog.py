"""Catalog entries of this gateway: tools and health of each MCP server, and a tombstone when the gateway stops."""

import asyncio
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

import structlog
from mcp_types import Tool
from pydantic import JsonValue

from tarsy_bus.client.publisher import NotWrittenError, Publisher, TooLargeError
from tarsy_bus.retries import draw_growing_pauses
from tarsy_contracts.messages.workers import CatalogTool, ServerCatalogued, ToolAnnotations
from tarsy_contracts.wire.envelope import envelope_of
from tarsy_tool_gateway.catalog_shortening import MOST_BYTES_EACH, shorten_catalog_entry
from tarsy_tool_gateway.mcp.connection import McpConnection
from tarsy_tool_gateway.mcp.server_plan import ServerPlan, with_known_tools
from tarsy_tool_gateway.mcp.tool_access import is_allowed, is_read_only, needs_approval
from tarsy_tool_gateway.mcp.tool_listing import is_repeatable

log = structlog.get_logger(__name__)

EVERY_SECONDS = 30.0
MOST_NAMED = 20


class CatalogPublisher:
    def __init__(
        self,
        publisher: Publisher,
        *,
        worker_id: str,
        source: str,
        now: Callable[[], datetime],
        new_id: Callable[[], str],
        too_large: Callable[[str], None] = lambda _: None,
    ) -> None:
        """`too_large` is told the server whose entry had to be shortened."""
        self._publisher = publisher
        self._worker_id = worker_id
        self._source = source
        self._now = now
        self._new_id = new_id
        self._too_large = too_large
        self._masked: dict[str, tuple[Mapping[str, Tool], tuple[CatalogTool, ...]]] = {}

    async def keep(self, connection: McpConnection) -> None:
        """Publishes for ever: at every change, and now and then. An entry that Kafka did not take is soon published
        again: stages that start meanwhile would go without the tools.
        """
        pauses = draw_growing_pauses()
        while True:
            connection.changed.clear()
            wait = EVERY_SECONDS
            if await self._publish_entry(connection):
                pauses = draw_growing_pauses()
            else:
                wait = next(pauses)
            try:
                async with asyncio.timeout(wait):
                    await connection.changed.wait()
            except TimeoutError:
                pass

    def forget(self) -> None:
        """Rules of masking may have changed: tools are masked again when they are published next."""
        self._masked.clear()

    async def withdraw(self, connection: McpConnection) -> None:
        """A tombstone: this process sees nothing any longer. Best effort, a dead worker's entries do not count."""
        gone = ServerCatalogued(
            server=connection.plan.name, worker_id=self._worker_id, healthy=False, error="", tools=()
        )
        envelope = envelope_of(
            gone, id=self._new_id(), source=self._source, subject=connection.plan.name, time=self._now()
        )
        try:
            await self._publisher.write(
                self._publisher.topics.catalog, key=self._entry_key(gone), value=None, headers=envelope.headers()
            )
        except NotWrittenError:
            log.warning("catalog.not_withdrawn", server=gone.server)

    async def _publish_entry(self, connection: McpConnection) -> bool:
        """Returns whether Kafka has it."""
        tools = connection.tools
        of, _ = self._masked.get(connection.plan.name, (None, ()))
        plan = with_known_tools(connection.plan, connection.server_name, connection.server_version)
        entry = self._make_entry(connection, plan, await self._mask_tools(plan, tools, connection.mask))
        try:
            fitting = await self._write_fitting(entry)
        except NotWrittenError:
            log.warning("catalog.not_written", server=entry.server)
            return False
        self._masked[entry.server] = (tools, fitting)
        if of is not tools:
            _log_denied(entry)
        return True

    def _make_entry(
        self, connection: McpConnection, plan: ServerPlan, tools: tuple[CatalogTool, ...]
    ) -> ServerCatalogued:
        return ServerCatalogued(
            server=connection.plan.name,
            worker_id=self._worker_id,
            healthy=connection.healthy,
            error="" if connection.healthy else connection.error,
            tools=tools,
            misconfigured=connection.misconfigured,
            protocol_version=connection.protocol_version,
            server_version=connection.server_version,
            checked_at=connection.checked_at,
            allow_unset=connection.plan.allow is None,
            refused_count=connection.refused.count,
            refused_tools=tuple(connection.mask(name) for name in connection.refused.named),
            starting=not connection.diagnosed,
            login_needed=connection.login_needed,
            logged_in_until=connection.logged_in_until,
            known_as=connection.server_name if plan.known_read_only_tools else "",
        )

    async def _mask_tools(
        self, plan: ServerPlan, tools: Mapping[str, Tool], mask: Callable[[str], str]
    ) -> tuple[CatalogTool, ...]:
        """Masked once, however often they are published."""
        of, known = self._masked.get(plan.name, (None, ()))
        if of is tools:
            return known
        return await asyncio.to_thread(lambda: tuple(_mask_tool(tool, plan, mask) for tool in tools.values()))

    async def _write_fitting(self, entry: ServerCatalogued) -> tuple[CatalogTool, ...]:
        """The tools as they were written. Raises NotWrittenError."""
        try:
            await self._write_entry(entry)
        except TooLargeError as problem:
            reason = str(problem)
        else:
            return entry.tools
        self._too_large(entry.server)
        for most_bytes in MOST_BYTES_EACH:
            shorter = shorten_catalog_entry(entry, most_bytes)
            try:
                await self._write_entry(shorter)
            except TooLargeError:
                continue
            log.warning("catalog.shortened", server=entry.server, most_bytes=most_bytes, problem=reason)
            return shorter.tools
        await self._write_entry(entry.model_copy(update={"healthy": False, "error": reason, "tools": ()}))
        return entry.tools

    async def _write_entry(self, seen: ServerCatalogued) -> None:
        await self._publisher.publish(
            self._publisher.topics.catalog,
            seen,
            key=self._entry_key(seen).decode(),
            id=self._new_id(),
            subject=seen.server,
        )

    def _entry_key(self, seen: ServerCatalogued) -> bytes:
        return f"{seen.server}/{self._worker_id}".encode()


def _log_denied(entry: ServerCatalogued) -> None:
    """At the start, and when the tools or the configuration have changed."""
    denied = [tool.tool for tool in entry.tools if tool.allowed is False]
    if denied:
        shown = denied[:MOST_NAMED]
        log.warning("mcp_server.tools_denied", server=entry.server, count=len(denied), tools=shown)


def _mask_tool(tool: Tool, plan: ServerPlan, mask: Callable[[str], str]) -> CatalogTool:
    return CatalogTool(
        tool=tool.name,
        description=mask(tool.description or ""),
        input_schema={key: mask_strings(value, mask) for key, value in tool.input_schema.items()},
        repeatable=is_repeatable(tool, plan),
        annotations=_mask_annotations(tool, mask),
        read_only=is_read_only(tool, plan),
        allowed=is_allowed(tool, plan),
        approval=needs_approval(tool, plan),
    )


def _mask_annotations(tool: Tool, mask: Callable[[str], str]) -> ToolAnnotations | None:
    notes = tool.annotations
    title = tool.title or (notes.title if notes is not None else None)
    if notes is None and title is None:
        return None
    return ToolAnnotations(
        title=None if title is None else mask(title),
        read_only=notes.read_only_hint if notes is not None else None,
        destructive=notes.destructive_hint if notes is not None else None,
        idempotent=notes.idempotent_hint if notes is not None else None,
        open_world=notes.open_world_hint if notes is not None else None,
    )


def mask_strings(value: Any, mask: Callable[[str], str]) -> JsonValue:
    """A schema stays one: what stands beside a telling key (`password`) is a type here, not a secret."""
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, list):
        return [mask_strings(item, mask) for item in value]
    if isinstance(value, dict):
        return {key: mask_strings(item, mask) for key, item in value.items()}
    return value  # type: ignore[no-any-return]  # a number, a truth value or null: it came out of JSON
