"""Fleet of the MCP servers that the configuration names: started, replaced and closed as it changes.

Decision 0026 says what calls meet meanwhile. Each has tasks of its own, so that a slow or dead server delays no other.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager

import structlog

from tarsy_contracts.messages.requests import ToolCallRequest
from tarsy_service.supervision import SupervisedGroup, Supervisor
from tarsy_tool_gateway.catalog import CatalogPublisher
from tarsy_tool_gateway.managed_server import MakeServer, ManagedServer
from tarsy_tool_gateway.mcp.connection import McpConnection
from tarsy_tool_gateway.mcp.per_session_pool import PerSessionPool
from tarsy_tool_gateway.mcp.server_plan import ServerPlan
from tarsy_tool_gateway.tool_servers import ToolOutput, ToolServer, call_tool
from tarsy_worker.claim_types import ServerLimits
from tarsy_worker.runner import MayStart, always

log = structlog.get_logger(__name__)

CLOSE_SECONDS = 5.0
"""A program is given two seconds to end by itself, and two more after SIGTERM."""


class ServerFleet:
    """`limits` and `connections` follow the configuration: their holders see the current servers.

    `patience_seconds`: how long a call waits for the configuration to name its server. Another process may have read
    it earlier than this one.
    """

    def __init__(
        self,
        make: MakeServer,
        builtin: Mapping[str, ToolServer],
        catalog: CatalogPublisher,
        *,
        removed: Callable[[str], None] = lambda _: None,
        patience_seconds: float = 0.0,
    ) -> None:
        """`removed` is called with the name of each server that is not named any longer."""
        self._make = make
        self._catalog = catalog
        self._removed = removed
        self._patience_seconds = patience_seconds
        self._servers: dict[str, ManagedServer] = {}
        self._callable: dict[str, ToolServer] = dict(builtin)
        self._gone: set[str] = set()
        self._switched = asyncio.Event()
        self._supervisor: Supervisor | None = None
        self._group: SupervisedGroup | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self.limits: dict[str, ServerLimits] = {name: server.limits for name, server in builtin.items()}
        self.connections: dict[str, McpConnection] = {}

    async def call(self, request: ToolCallRequest, may_start: MayStart = always) -> ToolOutput:
        if request.server not in self._callable and request.server not in self._gone:
            await self._wait_until_callable(request.server)
        return await call_tool(self._callable, request, may_start)

    def switch(self, plans: Mapping[str, ServerPlan]) -> None:
        """These are the servers from now on. Those that have the same plan as before are not touched."""
        for name, server in list(self._servers.items()):
            if plans.get(name) != server.plan:
                self._remove_server(server, replaced=name in plans)
        for name, plan in plans.items():
            if name not in self._servers:
                self._add_server(plan)
        self._switched.set()
        self._switched = asyncio.Event()

    @asynccontextmanager
    async def running(self, supervisor: Supervisor) -> AsyncIterator[None]:
        """Sessions, and what the catalog says of them, for as long as the body runs."""
        async with supervisor.group() as self._group:
            self._supervisor = supervisor
            for server in self._servers.values():
                self._start_server(server)
            try:
                yield
            finally:
                self._group = None
                for server in self._servers.values():
                    server.leaving.set()
                if self._tasks:
                    await asyncio.wait(self._tasks)

    async def _wait_until_callable(self, server: str) -> None:
        try:
            async with asyncio.timeout(self._patience_seconds):
                while server not in self._callable:
                    await self._switched.wait()
        except TimeoutError:
            pass

    def _add_server(self, plan: ServerPlan) -> None:
        server = self._make(plan)
        name = plan.name
        self._servers[name] = self._callable[name] = server
        self.limits[name], self.connections[name] = server.limits, server.connection
        self._gone.discard(name)
        self._start_server(server)

    def _remove_server(self, server: ManagedServer, *, replaced: bool) -> None:
        name = server.plan.name
        del self._servers[name], self._callable[name], self.limits[name], self.connections[name]
        server.replaced = replaced
        server.leaving.set()
        if not replaced:
            self._gone.add(name)
            self._removed(name)
        log.info("mcp_server.replaced" if replaced else "mcp_server.removed", server=name)

    def _start_server(self, server: ManagedServer) -> None:
        if self._group is None or self._supervisor is None:
            return
        work = self._run_server(server, self._supervisor)
        task = self._group.start(f"{server.plan.name} as configured", work, may_end=server.leaving.is_set)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run_server(self, server: ManagedServer, supervisor: Supervisor) -> None:
        """Runs until it leaves. Then it withdraws its catalog entry, ends its calls and closes its sessions, in this
        order.
        """
        connection = server.connection
        async with supervisor.group() as group:
            tasks = [group.start(name, owner.run(), may_end=server.leaving.is_set) for name, owner in server.owners]
            try:
                async with supervisor.background({f"catalog of {server.plan.name}": self._catalog.keep(connection)}):
                    await server.leaving.wait()
                if not server.replaced:
                    await self._catalog.withdraw(connection)
                await server.drain()
            finally:
                await _stop_and_wait([owner for _, owner in server.owners], tasks)


async def _stop_and_wait(owners: Sequence[McpConnection | PerSessionPool], tasks: Sequence[asyncio.Task[None]]) -> None:
    for owner in owners:
        owner.stop()
    _, late = await asyncio.wait(tasks, timeout=CLOSE_SECONDS)
    for task in late:
        log.warning("mcp_server.not_closed", task=task.get_name())
        task.cancel()
