"""One MCP server: a long-lived session that one task enters and exits, and that calls from anywhere share."""

import asyncio
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import TextIO

import anyio
import structlog
from mcp import Client, MCPError, StdioServerParameters
from mcp_types import CallToolResult, Tool
from pydantic import JsonValue

from tarsy_tool_gateway.listing import list_all_tools
from tarsy_tool_gateway.plan import ServerPlan
from tarsy_tool_gateway.server_log import standard_error
from tarsy_tool_gateway.transport import noticing_stdio

log = structlog.get_logger(__name__)

FIRST_PAUSE_SECONDS = 0.2
LONGEST_PAUSE_SECONDS = 30.0
STABLE_SECONDS = 30.0
CHECK_SECONDS = 10.0
GRACE_SECONDS = 1.0
"""How much longer than its own limit a call may take before the session counts as hung."""

TIMED_OUT = -32001
CLOSED = -32000


class ServerUnreachable(Exception):
    """There is no session: nothing was sent."""


class SessionDied(Exception):
    """The session ended in the middle of the call: the tool may have run."""


class CallTimedOut(Exception):
    """No answer in time: the tool may have run, or may still run."""


class Connection:
    """`run` is the one task; `changed` is set whenever tools or health are no longer what they were."""

    def __init__(self, plan: ServerPlan, *, mask: Callable[[str], str], connect_seconds: float) -> None:
        self.plan = plan
        self.tools: dict[str, Tool] = {}
        self.error = "it has not been reached yet"
        self.changed = asyncio.Event()
        self._mask = mask
        self._connect_seconds = connect_seconds
        self._client: Client | None = None
        self._ready = asyncio.Event()
        self._broken = asyncio.Event()
        self._stopping = False
        self._in_flight = 0
        self._task: asyncio.Task[None] | None = None

    @property
    def healthy(self) -> bool:
        return self._ready.is_set()

    def stop(self) -> None:
        """`run` then closes the session and returns, or, when there is none, is cancelled."""
        self._stopping = True
        self._broken.set()
        if self._client is None and self._task is not None:
            self._task.cancel()

    async def run(self) -> None:
        """Keeps a session until `stop`; one that ended is followed by another, after growing pauses."""
        self._task = asyncio.current_task()
        async with standard_error(self.plan.name, self._mask) as file:
            pause = FIRST_PAUSE_SECONDS
            while not self._stopping:
                self._broken.clear()
                began = time.monotonic()
                try:
                    await self._session(file)
                except Exception as problem:  # noqa: BLE001 - whatever a foreign server does, it is retried, and told
                    self._lost(_leaf(problem))
                if time.monotonic() - began > STABLE_SECONDS:
                    pause = FIRST_PAUSE_SECONDS
                await self._pause(pause)
                pause = min(2 * pause, LONGEST_PAUSE_SECONDS)

    async def wait_ready(self, seconds: float) -> None:
        """Raises ServerUnreachable."""
        try:
            async with asyncio.timeout(seconds):
                await self._ready.wait()
        except TimeoutError:
            raise ServerUnreachable(self.error) from None

    async def call(self, tool: str, arguments: dict[str, JsonValue], seconds: float) -> CallToolResult:
        """Raises ServerUnreachable, SessionDied, CallTimedOut, or what the server answered as MCPError."""
        client = self._client
        if client is None or not self.healthy:
            raise ServerUnreachable(self.error)
        self._in_flight += 1
        try:
            async with asyncio.timeout(seconds + GRACE_SECONDS):
                return await client.call_tool(tool, arguments, read_timeout_seconds=seconds)
        except TimeoutError:
            # Not even the SDK's own limit held: the server no longer takes what is written to it.
            self._broken.set()
            raise CallTimedOut from None
        except MCPError as problem:
            if problem.code == TIMED_OUT:
                raise CallTimedOut from problem
            if problem.code == CLOSED and not self._is_alive(client):
                raise SessionDied from problem
            raise
        except (anyio.ClosedResourceError, anyio.BrokenResourceError) as problem:
            self._broken.set()
            raise SessionDied from problem
        finally:
            self._in_flight -= 1

    async def check(self) -> None:
        """Asks for the tools again. A silent server is started anew, but not under calls that still run."""
        client = self._client
        if client is None or not self.healthy:
            return
        try:
            async with asyncio.timeout(CHECK_SECONDS):
                self.tools = await list_all_tools(client)
        except (TimeoutError, MCPError, ValueError, anyio.ClosedResourceError, anyio.BrokenResourceError) as problem:
            if self._in_flight == 0:
                self.error = self._mask(f"it does not list its tools any longer: {_said(problem)}")
                self._broken.set()

    async def _session(self, file: TextIO) -> None:
        parameters = StdioServerParameters(
            command=self.plan.command, args=list(self.plan.arguments), env=dict(self.plan.environment)
        )
        async with AsyncExitStack() as stack:
            async with asyncio.timeout(self._connect_seconds):
                client = await stack.enter_async_context(Client(noticing_stdio(parameters, file, self._broken.set)))
                self.tools = await list_all_tools(client)
            self._client = client
            self._found()
            try:
                await self._broken.wait()
            finally:
                self._lost(None)

    def _is_alive(self, client: Client) -> bool:
        """-32000 is also what many servers answer with when they mean any error of theirs."""
        return client is self._client and not self._broken.is_set()

    def _found(self) -> None:
        self.error = ""
        self._ready.set()
        self.changed.set()
        log.info("mcp_server.ready", server=self.plan.name, tools=len(self.tools))

    def _lost(self, problem: BaseException | None) -> None:
        self._client = None
        self._ready.clear()
        self.changed.set()
        if problem is not None:
            self.error = self._mask(_said(problem))
        self.error = self.error or "it ended by itself"
        if not self._stopping:
            log.warning("mcp_server.lost", server=self.plan.name, error=self.error)

    async def _pause(self, seconds: float) -> None:
        if not self._stopping:
            await asyncio.sleep(seconds)


def _leaf(problem: BaseException) -> BaseException:
    while isinstance(problem, BaseExceptionGroup):
        problem = problem.exceptions[0]
    return problem


def _said(problem: BaseException) -> str:
    if isinstance(problem, TimeoutError):
        return "it did not answer in time"
    return f"{type(problem).__name__}: {problem}"[:2000]
