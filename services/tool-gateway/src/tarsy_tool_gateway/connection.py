"""One MCP server: a long-lived session that one task enters and exits, and that calls from anywhere share."""

import asyncio
import time
from collections.abc import Callable
from contextlib import AsyncExitStack

import anyio
import structlog
from mcp import Client, MCPError
from mcp_types import CallToolResult, Tool
from pydantic import JsonValue

from tarsy_tool_gateway.arguments import ArgumentChecks
from tarsy_tool_gateway.http_answers import LOST, NOT_SENT, REFUSED, SESSION_OVER
from tarsy_tool_gateway.listing import list_all_tools
from tarsy_tool_gateway.plan import ServerPlan
from tarsy_tool_gateway.transport import Open, opener

log = structlog.get_logger(__name__)

FIRST_PAUSE_SECONDS = 0.2
LONGEST_PAUSE_SECONDS = 30.0
STABLE_SECONDS = 30.0
CHECK_SECONDS = 10.0
GRACE_SECONDS = 1.0
"""How much longer than its own limit a call may take before the session counts as hung."""

TIMED_OUT = -32001
CLOSED = -32000
STREAM_ENDED = "SSE stream ended"
"""So begins what the SDK says, with CLOSED, of an HTTP answer that broke off. Only that call is over."""

ENDED = "its session ended before it answered"
BROKEN_OFF = "its answer broke off"


class ServerUnreachable(Exception):
    """The tool did not run: there is no session, or the server did not take the call."""


class NotSent(Exception):
    """The tool did not run, for the session was over already: the next session may run it."""


class SessionDied(Exception):
    """The session, or the connection, ended in the middle of the call: the tool may have run."""


class CallTimedOut(Exception):
    """No answer in time: the tool may have run, or may still run."""


MEANINGS = {NOT_SENT: NotSent, SESSION_OVER: NotSent, REFUSED: ServerUnreachable, LOST: SessionDied}


class Connection:
    """`run` is the one task; `changed` is set whenever tools or health are no longer what they were."""

    def __init__(
        self,
        plan: ServerPlan,
        *,
        mask: Callable[[str], str],
        connect_seconds: float,
        connected: Callable[[], None] = lambda: None,
    ) -> None:
        self.plan = plan
        self.tools: dict[str, Tool] = {}
        self.checks = ArgumentChecks(self.tools)
        self.error = "it has not been reached yet"
        self.changed = asyncio.Event()
        self._mask = mask
        self._connect_seconds = connect_seconds
        self._connected = connected
        self._client: Client | None = None
        self._ready = asyncio.Event()
        self._broken = asyncio.Event()
        self._doubted = asyncio.Event()
        self._stopping = False
        self._in_flight = 0
        self._task: asyncio.Task[None] | None = None

    @property
    def healthy(self) -> bool:
        return self._ready.is_set()

    def stop(self) -> None:
        """`run` then closes the session and returns, or, when there is none, is cancelled."""
        self._stopping = True
        self._end()
        if not self.healthy and self._task is not None:
            self._task.cancel()

    async def run(self) -> None:
        """Keeps a session until `stop`; one that ended is followed by another, after growing pauses."""
        self._task = asyncio.current_task()
        async with opener(self.plan, self._mask) as open_streams:
            pause = FIRST_PAUSE_SECONDS
            while not self._stopping:
                self._broken.clear()
                self._doubted.clear()
                began = time.monotonic()
                try:
                    await self._session(open_streams)
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
        """Raises ServerUnreachable, NotSent, SessionDied, CallTimedOut, or what the server answered as MCPError."""
        client = self._client
        if client is None or not self.healthy:
            raise ServerUnreachable(self.error)
        self._in_flight += 1
        try:
            async with asyncio.timeout(seconds + GRACE_SECONDS):
                return await client.call_tool(tool, arguments, read_timeout_seconds=seconds)
        except TimeoutError:
            # Not even the SDK's own limit held: the server no longer takes what is written to it.
            self._end()
            raise CallTimedOut from None
        except MCPError as problem:
            raise self._meaning(problem, client) from problem
        except (anyio.ClosedResourceError, anyio.BrokenResourceError) as problem:
            self._end()
            raise SessionDied(ENDED) from problem
        finally:
            self._in_flight -= 1

    async def check(self) -> None:
        """Asks for the tools again. A silent server is started anew, but not under calls that still run."""
        client = self._client
        if client is None or not self.healthy:
            return
        problem = await self._list(client)
        if problem and self._in_flight == 0:
            self.error = problem
            self._end()

    async def _session(self, open_streams: Open) -> None:
        async with AsyncExitStack() as stack:
            async with asyncio.timeout(self._connect_seconds):
                client = await stack.enter_async_context(Client(open_streams(self._end)))
                self._listed(await list_all_tools(client))
            self._client = client
            self._found()
            self._connected()
            try:
                await self._until_broken(client)
            finally:
                self._lost(None)

    async def _until_broken(self, client: Client) -> None:
        """A connection that broke under one call need not be the end: the server is asked, and calls wait meanwhile."""
        while True:
            await self._doubted.wait()
            self._doubted.clear()
            if self._broken.is_set():
                return
            problem = await self._list(client)
            if problem:
                self.error = problem
                return
            if not self._broken.is_set():
                self._found()

    async def _list(self, client: Client) -> str:
        """Takes over the server's tools; what is wrong when it does not list them."""
        try:
            async with asyncio.timeout(CHECK_SECONDS):
                self._listed(await list_all_tools(client))
        except (TimeoutError, MCPError, ValueError, anyio.ClosedResourceError, anyio.BrokenResourceError) as problem:
            return self._mask(f"it does not list its tools any longer: {_said(problem)}")
        return ""

    def _meaning(self, problem: MCPError, client: Client) -> Exception:
        """What an error says of the call; one of the transport also says something of the session."""
        if problem.code == TIMED_OUT:
            return CallTimedOut()
        if problem.code in MEANINGS:
            self._doubt(client, problem.message)
            return MEANINGS[problem.code](problem.message)
        if problem.code == CLOSED and problem.message.startswith(STREAM_ENDED):
            self._doubt(client, BROKEN_OFF)
            return SessionDied(BROKEN_OFF)
        if problem.code == CLOSED and not self._is_alive(client):
            return SessionDied(ENDED)
        return problem

    def _is_alive(self, client: Client) -> bool:
        """-32000 is also what many servers answer with when they mean any error of theirs."""
        return client is self._client and not self._broken.is_set()

    def _doubt(self, client: Client, problem: str) -> None:
        if client is self._client and self.healthy:
            self.error = self._mask(problem)
            self._ready.clear()
            self._doubted.set()
            log.warning("mcp_server.doubted", server=self.plan.name, error=self.error)

    def _end(self) -> None:
        self._broken.set()
        self._doubted.set()

    def _listed(self, tools: dict[str, Tool]) -> None:
        self.tools, self.checks = tools, ArgumentChecks(tools)

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
