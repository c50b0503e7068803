"""REST answers about the system: MCP servers, warnings, sessions that are set aside."""

from collections.abc import Sequence
from datetime import datetime

from pydantic import JsonValue

from tarsy_bus.readers.catalog import CatalogEntry
from tarsy_contracts.api.system import (
    HeldSession,
    HeldSessionList,
    McpServer,
    McpServers,
    McpTool,
    McpWorker,
    SystemWarning,
    SystemWarnings,
)
from tarsy_contracts.messages.workers import CatalogTool
from tarsy_contracts.wire.envelope import wire_time
from tarsy_timeline.system.held_watch import SessionAside
from tarsy_timeline.system.server_warnings import ServerWarning
from tarsy_timeline.system.servers import ServerOfGateways, find_check_time

MOST_TOOLS = 1_000
"""Limit for one server, in the list of all."""
MOST_WORKERS = 100
MOST_SESSIONS = 1_000
MOST_CHARACTERS = 1_000
"""Limit for one description or error, in the list of all."""


def create_held_session_list(aside: Sequence[SessionAside]) -> HeldSessionList:
    shown = tuple(
        HeldSession(
            session_id=one.session_id,
            reason=one.reason,
            why=one.why,
            inputs=one.inputs,
            created_at=wire_time(one.since) if one.since else None,
        )
        for one in aside[:MOST_SESSIONS]
    )
    return HeldSessionList(sessions=shown, total_items=len(aside))


def mcp_servers(servers: Sequence[ServerOfGateways], *, most_tools: int) -> McpServers:
    return McpServers(servers=tuple(_to_server(one, _shorten_tools(one.tools[:most_tools])) for one in servers))


def mcp_server(server: ServerOfGateways) -> McpServer:
    """With everything that is known of its tools."""
    return _to_server(server, tuple(_to_tool(tool, tool.description, tool.input_schema) for tool in server.tools))


def system_warnings(warnings: Sequence[ServerWarning], server_count: int) -> SystemWarnings:
    shown = tuple(
        SystemWarning(
            id=warning.id,
            category=warning.category,
            message=warning.message,
            details=warning.details,
            server_id=warning.server,
            created_at=wire_time(warning.began),
        )
        for warning in warnings
    )
    return SystemWarnings(warnings=shown, server_count=server_count)


def _to_server(server: ServerOfGateways, tools: tuple[McpTool, ...]) -> McpServer:
    reported = server.shown.seen if server.shown is not None else None
    return McpServer(
        id=server.name,
        healthy=bool(server.healthy),
        misconfigured=bool(server.misconfigured),
        error=_shorten(server.error),
        last_check=wire_time(server.last_check) if server.last_check else None,
        protocol_version=reported.protocol_version if reported is not None else "",
        server_version=reported.server_version if reported is not None else "",
        tool_count=len(server.tools),
        denied_count=sum(tool.allowed is False for tool in server.tools),
        refused_count=reported.refused_count if reported is not None else 0,
        refused_tools=reported.refused_tools if reported is not None else (),
        login_needed=server.login_needed,
        starting=server.starting,
        known_as=reported.known_as if reported is not None else "",
        logged_in_until=_wire_time_or_none(server.logged_in_until),
        tools=tools,
        workers=tuple(_to_worker(entry) for entry in server.living[:MOST_WORKERS]),
    )


def _to_worker(entry: CatalogEntry) -> McpWorker:
    return McpWorker(
        worker_id=entry.seen.worker_id,
        healthy=entry.seen.healthy,
        misconfigured=entry.seen.misconfigured,
        error=None if entry.seen.healthy else _shorten(entry.seen.error),
        protocol_version=entry.seen.protocol_version,
        server_version=entry.seen.server_version,
        tool_count=len(entry.seen.tools),
        checked_at=wire_time(find_check_time(entry)),
        since=wire_time(entry.health_since),
        login_needed=entry.seen.login_needed,
        logged_in_until=_wire_time_or_none(entry.seen.logged_in_until),
    )


def _shorten_tools(tools: Sequence[CatalogTool]) -> tuple[McpTool, ...]:
    return tuple(_to_tool(tool, tool.description[:MOST_CHARACTERS], None) for tool in tools)


def _to_tool(tool: CatalogTool, description: str, input_schema: dict[str, JsonValue] | None) -> McpTool:
    return McpTool(
        name=tool.tool,
        description=description,
        repeatable=tool.repeatable,
        annotations=tool.annotations,
        read_only=tool.changes_nothing,
        allowed=tool.allowed,
        approval=tool.approval,
        input_schema=input_schema,
    )


def _wire_time_or_none(at: datetime | None) -> str | None:
    return None if at is None else wire_time(at)


def _shorten(text: str | None) -> str | None:
    return text and text[:MOST_CHARACTERS]
