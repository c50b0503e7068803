"""The gateway's side: one session with a server as it would be configured."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from connections import PATIENT
from gateway_owner import call
from pydantic import JsonValue

from real_servers.subjects import Subject
from tarsy_config.sections.servers import McpServerConfig
from tarsy_testing.servers.mcp_servers import RunningServer, Wire
from tarsy_tool_gateway.mcp.connection import McpConnection
from tarsy_tool_gateway.mcp.server_plan import ServerPlan, plan_of
from tarsy_tool_gateway.mcp.tool_server import McpToolServer
from tarsy_tool_gateway.tool_servers import ToolOutput

type Serve = Callable[[Subject, Wire], RunningServer]

READY_SECONDS = 90.0
STOP_SECONDS = 90.0


def plan(name: str, server: RunningServer, protocol: str = "auto") -> ServerPlan:
    return plan_of(name, McpServerConfig.model_validate({"transport": server.transport | {"protocol": protocol}}))


@asynccontextmanager
async def connected(
    server: RunningServer, protocol: str = "auto", *, told: Callable[[], None] = lambda: None
) -> AsyncIterator[McpConnection]:
    """`told` of each session that there is."""
    connection = McpConnection(
        plan("foreign", server, protocol), mask=str, connect_seconds=READY_SECONDS, connected=told, checking=PATIENT
    )
    running = asyncio.create_task(connection.run())
    try:
        await connection.wait_ready(READY_SECONDS)
        yield connection
    finally:
        connection.stop()
        await asyncio.wait([running], timeout=STOP_SECONDS)
        assert running.done()


async def said(connection: McpConnection, tool: str, arguments: dict[str, JsonValue]) -> ToolOutput:
    request = call(tool, repeatable=True).model_copy(update={"arguments": arguments, "server": "foreign"})
    return await McpToolServer(connection, ready_seconds=READY_SECONDS).call(request)
