"""One connection of the gateway to a server of the tests, without Kafka."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tarsy_contracts.messages.requests import ToolCallRequest
from tarsy_testing.real_servers import eventually
from tarsy_tool_gateway.mcp.connection import McpConnection
from tarsy_tool_gateway.mcp.health import HealthCheck, SessionEnd
from tarsy_tool_gateway.mcp.server_plan import ServerPlan, StdioTransport, TransportPlan
from tarsy_tool_gateway.mcp.tool_server import McpToolServer
from tarsy_tool_gateway.tool_servers import ToolOutput
from tarsy_worker.claim_types import ServerLimits

STOP_SECONDS = 90.0
SECRET = "hunter2-very-secret"
PATIENT = HealthCheck(within_seconds=60)
"""A server that lives answers within that, however busy the machine is."""


def plan_to(transport: TransportPlan, *, concurrent: int = 8) -> ServerPlan:
    return ServerPlan("first", transport, limits=ServerLimits(concurrent=concurrent, queue=16))


def odd(calls_file: Path, listing: str = "") -> ServerPlan:
    program = str(Path(__file__).with_name("odd_server.py"))
    environment = {"CALLS": str(calls_file), "LISTING": listing}
    return plan_to(StdioTransport(sys.executable, (program,), environment, protocol="legacy"))


@asynccontextmanager
async def connected(
    plan: ServerPlan,
    *,
    connect_seconds: float = 60,
    checking: HealthCheck = PATIENT,
    ends: list[SessionEnd] | None = None,
    unchecked: list[str] | None = None,
) -> AsyncIterator[McpConnection]:
    """`ends` and `unchecked` gather what is told of the session; the latter has the server for each tool."""
    seen: list[SessionEnd] = [] if ends is None else ends
    not_checked: list[str] = [] if unchecked is None else unchecked
    connection = McpConnection(
        plan,
        mask=lambda text: text.replace(SECRET, "***"),
        connect_seconds=connect_seconds,
        ended=seen.append,
        unchecked=lambda: not_checked.append(plan.name),
        checking=checking,
    )
    running = asyncio.create_task(connection.run())
    try:
        yield connection
    finally:
        connection.stop()
        await asyncio.wait([running], timeout=STOP_SECONDS)
        assert running.done()
        assert running.cancelled() or running.exception() is None


async def said(connection: McpConnection, request: ToolCallRequest) -> ToolOutput:
    return await McpToolServer(connection, ready_seconds=90).call(request)


async def until_judged(connection: McpConnection) -> None:
    """Until an attempt has come to its end. Why it failed is known from then on, and until one succeeds."""

    async def look() -> bool:
        return connection.diagnosed

    await eventually(look, "it was tried")


async def becomes(connection: McpConnection, *, healthy: bool) -> None:
    async def look() -> bool:
        return connection.healthy is healthy

    await eventually(look, f"the connection is healthy: {healthy}")
