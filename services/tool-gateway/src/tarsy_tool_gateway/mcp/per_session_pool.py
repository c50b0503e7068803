"""Pool of MCP sessions, one for each investigation: for servers that keep state for each client."""

import asyncio
import contextvars
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

import structlog

from tarsy_contracts.messages.requests import ToolCallRequest
from tarsy_tool_gateway.mcp.connection import McpConnection
from tarsy_tool_gateway.mcp.server_plan import ServerPlan, for_session
from tarsy_tool_gateway.tool_servers import ToolOutput, ToolServer
from tarsy_worker.claim_types import ServerLimits
from tarsy_worker.runner import MayStart, always

log = structlog.get_logger(__name__)

LOOK_SECONDS = 1.0
CLOSE_SECONDS = 20.0
"""A server may be told that its session is over, and a program is given some seconds to end."""


@dataclass(frozen=True, slots=True)
class PoolLimits:
    """At most `sessions` are open, and one is closed after `idle_seconds` without use. A call waits so long for a
    slot.
    """

    sessions: int
    idle_seconds: float
    wait_seconds: float


@dataclass(slots=True)
class _Open:
    connection: McpConnection
    tools: ToolServer
    task: asyncio.Task[None]
    used: float
    calls: int = 0


class PerSessionPool:
    """`run` owns the sessions. Each has a task of its own, which opens it again when it died."""

    def __init__(
        self,
        plan: ServerPlan,
        bounds: PoolLimits,
        *,
        connect: Callable[[ServerPlan], McpConnection],
        tools: Callable[[McpConnection], ToolServer],
    ) -> None:
        self.plan = plan
        self._bounds = bounds
        self._connect = connect
        self._tools = tools
        self._places = asyncio.Semaphore(bounds.sessions)
        self._waiting = 0
        self._sessions: dict[str, _Open] = {}
        self._tasks: asyncio.TaskGroup | None = None
        self._context = contextvars.Context()
        self._stopped = asyncio.Event()

    @property
    def limits(self) -> ServerLimits:
        return self.plan.limits

    @property
    def sessions(self) -> frozenset[str]:
        """The investigations that have one."""
        return frozenset(self._sessions)

    async def run(self) -> None:
        """Until `stop`."""
        self._context = contextvars.copy_context()
        async with asyncio.TaskGroup() as self._tasks:
            while not self._stopped.is_set():
                self._close_idle_sessions()
                with suppress(TimeoutError):
                    async with asyncio.timeout(LOOK_SECONDS):
                        await self._stopped.wait()
            for session_id in list(self._sessions):
                self._close_session(session_id)

    def stop(self) -> None:
        self._stopped.set()

    async def call(self, request: ToolCallRequest, may_start: MayStart = always) -> ToolOutput:
        began = self._now()
        try:
            async with asyncio.timeout(min(self._bounds.wait_seconds, request.timeout_seconds)):
                session = await self._get_or_open(request.session_id)
        except TimeoutError:
            most = self._bounds.sessions
            busy = f"The MCP server {request.server} has {most} sessions for other investigations, and all are in use."
            return ToolOutput("unavailable", busy)
        if session is None:
            return ToolOutput("unavailable", f"The MCP server {request.server} is being closed.")
        session.calls += 1
        try:
            left = max(0.0, request.timeout_seconds - (self._now() - began))
            return await session.tools.call(request.model_copy(update={"timeout_seconds": left}), may_start)
        finally:
            session.calls -= 1
            session.used = self._now()
            if self._waiting:
                self._close_longest_idle()

    async def _get_or_open(self, session_id: str) -> _Open | None:
        """The one of this investigation. None when no more are opened."""
        if session_id not in self._sessions:
            await self._acquire_slot()
            if session_id in self._sessions:
                # Another call of the same investigation had waited too.
                self._places.release()
            elif not self._open_session(session_id):
                self._places.release()
                return None
        return self._sessions[session_id]

    async def _acquire_slot(self) -> None:
        self._waiting += 1
        try:
            if self._places.locked():
                self._close_longest_idle()
            await self._places.acquire()
        finally:
            self._waiting -= 1

    def _open_session(self, session_id: str) -> bool:
        if self._tasks is None or self._stopped.is_set():
            return False
        connection = self._connect(for_session(self.plan, session_id))
        name = f"MCP server {self.plan.name}, session {session_id}"
        # Not in the context of the call: the session outlives it.
        task = self._tasks.create_task(self._run_connection(connection), name=name, context=self._context.copy())
        self._sessions[session_id] = opened = _Open(connection, self._tools(connection), task, self._now())
        task.add_done_callback(lambda _: self._remove_ended(session_id, opened))
        return True

    async def _run_connection(self, connection: McpConnection) -> None:
        try:
            await connection.run()
        except Exception as problem:  # noqa: BLE001 - a session that cannot be kept must not end those of others
            log.error("mcp_server.session_failed", server=self.plan.name, problem=type(problem).__name__)

    def _remove_ended(self, session_id: str, ended: _Open) -> None:
        self._places.release()
        if self._sessions.get(session_id) is ended:
            del self._sessions[session_id]

    def _close_idle_sessions(self) -> None:
        limit = self._now() - self._bounds.idle_seconds
        for session_id, session in list(self._sessions.items()):
            if session.calls == 0 and session.used < limit:
                self._close_session(session_id)

    def _close_longest_idle(self) -> None:
        idle = [(session.used, session_id) for session_id, session in self._sessions.items() if session.calls == 0]
        if idle:
            self._close_session(min(idle)[1])

    def _close_session(self, session_id: str) -> None:
        """It gives its place back when it has ended."""
        session = self._sessions.pop(session_id)
        session.connection.stop()
        asyncio.get_running_loop().call_later(CLOSE_SECONDS, session.task.cancel)

    def _now(self) -> float:
        return asyncio.get_running_loop().time()
