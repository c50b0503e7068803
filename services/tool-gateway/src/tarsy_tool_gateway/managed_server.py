"""One MCP server as this gateway runs it: its sessions, its tools, and the calls that are under way."""

import asyncio
from collections.abc import Callable, Sequence

from tarsy_contracts.messages.requests import ToolCallRequest
from tarsy_tool_gateway.mcp.connection import McpConnection
from tarsy_tool_gateway.mcp.per_session_pool import PerSessionPool
from tarsy_tool_gateway.mcp.server_plan import ServerPlan
from tarsy_tool_gateway.tool_servers import ToolOutput, ToolServer
from tarsy_worker.claim_types import ServerLimits
from tarsy_worker.runner import MayStart, always

DRAIN_SECONDS = 900.0
"""A call has a limit of its own; this one is for a mistake of ours."""

type MakeServer = Callable[[ServerPlan], "ManagedServer"]


class ManagedServer:
    """`pool` is None when all investigations share the session of `connection`, which always lists the tools.

    `leaving`: the configuration names it no longer, or another one under its name (`replaced`), or the gateway stops.
    """

    def __init__(
        self, plan: ServerPlan, connection: McpConnection, tools: ToolServer, pool: PerSessionPool | None = None
    ) -> None:
        self.plan = plan
        self.connection = connection
        self.leaving = asyncio.Event()
        self.replaced = False
        self._tools = tools
        self._pool = pool
        self._calls = 0
        self._idle = asyncio.Event()
        self._idle.set()

    @property
    def limits(self) -> ServerLimits:
        return self.plan.limits

    @property
    def owners(self) -> Sequence[tuple[str, McpConnection | PerSessionPool]]:
        """Owners of its sessions, each with the name of its task."""
        connection = (f"MCP server {self.plan.name}", self.connection)
        return [connection] if self._pool is None else [connection, (f"sessions with {connection[0]}", self._pool)]

    async def call(self, request: ToolCallRequest, may_start: MayStart = always) -> ToolOutput:
        self._calls += 1
        self._idle.clear()
        try:
            return await self._tools.call(request, may_start)
        finally:
            self._calls -= 1
            if not self._calls:
                self._idle.set()

    async def drain(self) -> None:
        """Returns when its calls have ended, or have had the time to."""
        try:
            async with asyncio.timeout(DRAIN_SECONDS):
                await self._idle.wait()
        except TimeoutError:
            pass
