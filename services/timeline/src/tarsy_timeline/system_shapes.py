"""What the API answers about the system, with Go TARSy's keys where it has the thing."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, JsonValue, PlainSerializer, WithJsonSchema

from tarsy_bus.catalog import Entry
from tarsy_contracts.envelope import wire_time
from tarsy_contracts.workers import CatalogTool, ToolAnnotations
from tarsy_timeline.held_watch import SessionAside
from tarsy_timeline.server_warnings import Category, ServerWarning
from tarsy_timeline.servers import Server, checked_at

MOST_TOOLS = 1_000
"""Of one server, in the list of all."""
MOST_WORKERS = 100
MOST_SESSIONS = 1_000
MOST_CHARACTERS = 1_000
"""Of one description or error, in the list of all."""

type Stamp = Annotated[
    datetime, PlainSerializer(wire_time, return_type=str), WithJsonSchema({"type": "string", "format": "date-time"})
]


class Body(BaseModel):
    model_config = ConfigDict(frozen=True)


class McpTool(Body):
    """`repeatable`: it may be run twice. `annotations`: what the server itself says; null where it says nothing.

    `input_schema` is null in the list of all servers.
    """

    name: str
    description: str
    repeatable: bool
    annotations: ToolAnnotations | None
    input_schema: dict[str, JsonValue] | None = None


class McpWorker(Body):
    """The server as one running tool gateway sees it. `since`: since when it says the same of its health."""

    worker_id: str
    healthy: bool
    misconfigured: bool
    error: str | None
    protocol_version: str
    server_version: str
    tool_count: int
    checked_at: Stamp
    since: Stamp


class McpServer(Body):
    """`healthy` when a running tool gateway reaches it. Versions are empty while nobody has reached it.

    In the list of all servers, `tools` are at most a thousand, with the beginnings of their descriptions; `tool_count`
    counts all.
    """

    id: str
    healthy: bool
    misconfigured: bool
    error: str | None
    last_check: Stamp | None
    protocol_version: str
    server_version: str
    tool_count: int
    tools: tuple[McpTool, ...]
    workers: tuple[McpWorker, ...]


class McpServers(Body):
    servers: tuple[McpServer, ...]


class SystemWarning(Body):
    """`id` is the same for the same trouble of the same server. `server_id` is null when it is about none."""

    id: str
    category: Category
    message: str
    details: str
    server_id: str | None
    created_at: Stamp


class SystemWarnings(Body):
    """`server_count`: all MCP servers that are known, with and without warnings."""

    warnings: tuple[SystemWarning, ...]
    server_count: int


class HeldSession(Body):
    """A session that is set aside. `inputs`: how many wait for it. `created_at` is null when nothing tells any more."""

    session_id: str
    reason: str
    why: str
    inputs: int
    created_at: Stamp | None


class HeldSessionList(Body):
    """At most a thousand, those that wait longest first; `total_items` counts all."""

    sessions: tuple[HeldSession, ...]
    total_items: int


def held_sessions(aside: Sequence[SessionAside]) -> HeldSessionList:
    shown = tuple(
        HeldSession(session_id=one.session_id, reason=one.reason, why=one.why, inputs=one.inputs, created_at=one.since)
        for one in aside[:MOST_SESSIONS]
    )
    return HeldSessionList(sessions=shown, total_items=len(aside))


def mcp_servers(servers: Sequence[Server], *, most_tools: int) -> McpServers:
    return McpServers(servers=tuple(_server(one, _in_short(one.tools[:most_tools])) for one in servers))


def mcp_server(server: Server) -> McpServer:
    """With everything that is known of its tools."""
    return _server(server, tuple(_tool(tool, tool.description, tool.input_schema) for tool in server.tools))


def system_warnings(warnings: Sequence[ServerWarning], server_count: int) -> SystemWarnings:
    shown = tuple(
        SystemWarning(
            id=warning.id,
            category=warning.category,
            message=warning.message,
            details=warning.details,
            server_id=warning.server,
            created_at=warning.began,
        )
        for warning in warnings
    )
    return SystemWarnings(warnings=shown, server_count=server_count)


def _server(server: Server, tools: tuple[McpTool, ...]) -> McpServer:
    said = server.shown.seen if server.shown is not None else None
    return McpServer(
        id=server.name,
        healthy=bool(server.healthy),
        misconfigured=bool(server.misconfigured),
        error=_short(server.error),
        last_check=server.last_check,
        protocol_version=said.protocol_version if said is not None else "",
        server_version=said.server_version if said is not None else "",
        tool_count=len(server.tools),
        tools=tools,
        workers=tuple(_worker(entry) for entry in server.living[:MOST_WORKERS]),
    )


def _worker(entry: Entry) -> McpWorker:
    return McpWorker(
        worker_id=entry.seen.worker_id,
        healthy=entry.seen.healthy,
        misconfigured=entry.seen.misconfigured,
        error=None if entry.seen.healthy else _short(entry.seen.error),
        protocol_version=entry.seen.protocol_version,
        server_version=entry.seen.server_version,
        tool_count=len(entry.seen.tools),
        checked_at=checked_at(entry),
        since=entry.health_since,
    )


def _in_short(tools: Sequence[CatalogTool]) -> tuple[McpTool, ...]:
    return tuple(_tool(tool, tool.description[:MOST_CHARACTERS], None) for tool in tools)


def _tool(tool: CatalogTool, description: str, input_schema: dict[str, JsonValue] | None) -> McpTool:
    return McpTool(
        name=tool.tool,
        description=description,
        repeatable=tool.repeatable,
        annotations=tool.annotations,
        input_schema=input_schema,
    )


def _short(text: str | None) -> str | None:
    return text and text[:MOST_CHARACTERS]
