"""Connection to an MCP server: it always has a session, or opens the next one. Calls from anywhere share it."""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Mapping
from datetime import UTC, datetime

import structlog
from mcp.shared.dispatcher import ProgressFnT
from mcp_types import CallToolResult, Tool
from pydantic import JsonValue

from tarsy_tool_gateway.mcp.arguments import ArgumentChecks
from tarsy_tool_gateway.mcp.diagnosis import Diagnosis, diagnose
from tarsy_tool_gateway.mcp.failures import CallFailedError, failure_of
from tarsy_tool_gateway.mcp.health import LEFT, USUAL_CHECK, HealthCheck, SessionEnd
from tarsy_tool_gateway.mcp.messages.garbage import GarbageCount
from tarsy_tool_gateway.mcp.messages.stream_counts import StreamCounts
from tarsy_tool_gateway.mcp.pauses import ReconnectPauses
from tarsy_tool_gateway.mcp.protocol_versions import ProtocolVersions
from tarsy_tool_gateway.mcp.server_plan import ServerPlan
from tarsy_tool_gateway.mcp.session import McpSession
from tarsy_tool_gateway.mcp.tool_sieve import NONE_REFUSED, RefusedTools
from tarsy_tool_gateway.mcp.transports.login_tokens import NO_LOGINS, Logins, login_end
from tarsy_tool_gateway.mcp.transports.opener import Open, opener
from tarsy_tool_gateway.results.bytes_in_flight import BytesInFlight
from tarsy_tool_gateway.results.text import truncate_at_space

log = structlog.get_logger(__name__)

MOST_SHOWN = 2000
MOST_MASKED = 64 * 1024
"""Characters of the reason why a server cannot be reached."""
MOST_RETIRED = 4
"""Sessions that may wait for their last calls beside the one that is used."""


class McpConnection:
    """`run` is the one task; `changed` is set whenever tools or health are no longer what they were."""

    def __init__(
        self,
        plan: ServerPlan,
        *,
        mask: Callable[[str], str],
        connect_seconds: float,
        connected: Callable[[], None] = lambda: None,
        ended: Callable[[SessionEnd], None] = lambda _: None,
        unchecked: Callable[[], None] = lambda: None,
        garbage: Callable[[], None] = lambda: None,
        in_flight: BytesInFlight | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        checking: HealthCheck = USUAL_CHECK,
        logins: Logins = NO_LOGINS,
    ) -> None:
        self.plan = plan
        self.error = "it has not been reached yet"
        self.misconfigured = False
        self.login_needed = False
        self.listing_refused = False
        self.checked_at: datetime | None = None
        self.refused = NONE_REFUSED
        self.changed = asyncio.Event()
        self.mask = mask
        self._connect_seconds = connect_seconds
        self._connected = connected
        self._ended = ended
        self._unchecked = unchecked
        self._now = now
        self._checking = checking
        self._logins = logins
        self._counts = StreamCounts(GarbageCount(plan.name, counted=garbage), in_flight or BytesInFlight())
        self._eras = ProtocolVersions(plan.transport.protocol, probe_seconds=min(10.0, connect_seconds / 3))
        self._session: McpSession | None = None
        self._retired: deque[McpSession] = deque()
        self._known: Mapping[str, Tool] = {}
        self._ready = asyncio.Event()
        self._diagnosed = asyncio.Event()
        self._wake = asyncio.Event()
        self._left: SessionEnd | None = None
        self._stopping = False
        self._task: asyncio.Task[None] | None = None
        self.protocol_version = ""
        self.server_version = ""
        self.server_name = ""

    @property
    def healthy(self) -> bool:
        return self._ready.is_set()

    @property
    def diagnosed(self) -> bool:
        """Whether the first attempt to reach it is over."""
        return self._diagnosed.is_set()

    @property
    def logged_in_until(self) -> datetime | None:
        """When a person has to log in again, where that is known."""
        return login_end(self._logins, self.plan.transport)

    @property
    def tools(self) -> Mapping[str, Tool]:
        """As they were listed last."""
        return self._known

    @property
    def checks(self) -> ArgumentChecks:
        return self._session.checks if self._session is not None else ArgumentChecks(self._known)

    def stop(self) -> None:
        """`run` then closes all sessions and returns, or, when there is none, is cancelled."""
        self._stopping = True
        for session in self._retired:
            session.end()
        if self._session is not None:
            self._session.end()
        elif self._task is not None:
            self._task.cancel()

    async def run(self) -> None:
        """Keeps a session until `stop`; one that ended is followed by another, after growing pauses."""
        self._task = asyncio.current_task()
        opening = opener(self.plan, self.mask, self._logins, self._counts)
        async with opening as open_streams, asyncio.TaskGroup() as sessions:
            pauses = ReconnectPauses()
            while not self._stopping:
                began = time.monotonic()
                await self._run_one_session(open_streams, sessions)
                if self._stopping:
                    return
                await asyncio.sleep(pauses.take(time.monotonic() - began, refused=self.listing_refused))

    async def wait_ready(self, seconds: float, *, once_tried: float | None = None) -> None:
        """Waits for a session. Raises CallFailedError.

        `once_tried`: no more than so many seconds after the first attempt is over; a server may start slowly.
        """
        try:
            async with asyncio.timeout(seconds):
                await self._diagnosed.wait()
                async with asyncio.timeout(once_tried):
                    await self._ready.wait()
        except TimeoutError:
            raise CallFailedError("unreachable", self.error) from None

    async def call(
        self, tool: str, arguments: dict[str, JsonValue], seconds: float, progress: ProgressFnT | None = None
    ) -> CallToolResult:
        """Raises CallFailedError."""
        session = self._session
        if session is None or not self.healthy:
            raise CallFailedError("unreachable", self.error)
        try:
            return await session.call(tool, arguments, seconds, progress)
        except CallFailedError as failure:
            self._react_to_failure(session, failure)
            raise

    async def check(self) -> None:
        """Asks the server soon whether it is there, and for its tools; calls go on meanwhile."""
        self._wake.set()

    async def _run_one_session(self, open_streams: Open, sessions: asyncio.TaskGroup) -> None:
        session = McpSession(
            self._eras,
            connect_seconds=self._connect_seconds,
            stirred=lambda: self._note_stir(session),
            unchecked=self._count_and_log_unchecked,
            elicitation=self.plan.elicitation,
            refused=self._log_refused_tools,
        )
        sessions.create_task(session.run(open_streams), name=f"session with {self.plan.name}")
        if not await session.wait_until_open():
            self._note_session_lost(diagnose(session.problem) if session.problem is not None else None)
            return
        self._session = session
        self._left = None
        self._note_session_ready(session)
        self._connected()
        end, verdict = await self._watch_until_broken(session)
        self._session = None
        self._counts.garbage.log()
        self._retire_session(session)
        if session.problem is not None:
            verdict = diagnose(session.problem)
        self._note_session_lost(verdict)
        if not self._stopping:
            self._ended(end)

    async def _watch_until_broken(self, session: McpSession) -> tuple[SessionEnd, Diagnosis | None]:
        """Checks now and then, and whenever something stirs. Nobody waits for a check, but calls that are in doubt."""
        silences = 0
        while True:
            if not session.is_over:
                await self._wait_for_wake()
            if session.is_over:
                return "ended", None
            if self._left is not None:
                return self._left, None
            problem = await self._check_server(session)
            if problem is None:
                silences = 0
                self._note_session_ready(session)
                continue
            if session.is_over:
                return "ended", None
            if not isinstance(problem, TimeoutError):
                return "refused", diagnose(problem)
            silences += 1
            if silences > 1 or not session.in_flight:
                return "silent", diagnose(problem)
            # Some servers do one thing at a time: this one may be at work for a call.
            self._wake.set()

    async def _check_server(self, session: McpSession) -> Exception | None:
        """Why the server does not seem to be there; None when it is."""
        began = asyncio.get_running_loop().time()
        try:
            await session.list_tools(self._checking.within_seconds)
        except Exception as problem:  # noqa: BLE001 - whatever it is, the server does not list its tools
            failure = failure_of(problem, alive=not session.is_over)
            busy = failure is not None and failure.kind == "throttled"
            return None if busy or session.answered_at > began else problem
        return None

    async def _wait_for_wake(self) -> None:
        try:
            async with asyncio.timeout(self._checking.every_seconds):
                await self._wake.wait()
        except TimeoutError:
            pass
        self._wake.clear()

    def _note_stir(self, session: McpSession) -> None:
        if session is self._session:
            if session.is_over:
                self._ready.clear()
            self._wake.set()

    def _react_to_failure(self, session: McpSession, failure: CallFailedError) -> None:
        """After one broken call the others continue. New ones wait until the server was checked."""
        if failure.meaning.session == "keep" or session is not self._session or not self.healthy:
            return
        self.error = self._mask_and_cut(failure.why)
        self._left = LEFT.get(failure.kind)
        self._ready.clear()
        self._wake.set()
        log.warning("mcp_server.doubted", server=self.plan.name, reason=failure.kind, error=self.error)

    def _count_and_log_unchecked(self, tool: str) -> None:
        self._unchecked()
        log.warning("mcp_server.schema_not_checked", server=self.plan.name, tool=self._mask_and_cut(tool))

    def _log_refused_tools(self, refused: RefusedTools) -> None:
        """One wrong tool costs one tool."""
        names = [self._mask_and_cut(name) for name in refused.named]
        log.warning("mcp_server.tools_refused", server=self.plan.name, count=refused.count, tools=names)

    def _retire_session(self, session: McpSession) -> None:
        self._retired = deque(each for each in self._retired if not each.is_over)
        self._retired.append(session)
        session.retire()
        while len(self._retired) > MOST_RETIRED:
            self._retired.popleft().end()

    def _note_session_ready(self, session: McpSession) -> None:
        news = not self.healthy or (session.tools, session.refused) != (self._known, self.refused) or not self.diagnosed
        self.protocol_version, self.server_version = session.protocol_version, self.mask(session.server_version)[:200]
        self.server_name = session.server_name
        if session.tools != self._known:
            self._known = session.tools
        self.refused = session.refused
        self.error, self.misconfigured, self.login_needed, self.listing_refused = "", False, False, False
        self.checked_at = self._now()
        self._ready.set()
        self._diagnosed.set()
        if news:
            self.changed.set()
            log.info("mcp_server.ready", server=self.plan.name, tools=len(self._known))

    def _mask_and_cut(self, reason: str) -> str:
        """Cut after it was masked: of a secret that is cut in two, neither half is known."""
        return truncate_at_space(self.mask(truncate_at_space(reason, MOST_MASKED)), MOST_SHOWN)

    def _note_session_lost(self, verdict: Diagnosis | None) -> None:
        self._ready.clear()
        self.checked_at = self._now()
        self._diagnosed.set()
        self.misconfigured = verdict is not None and verdict.misconfigured
        self.login_needed = verdict is not None and verdict.login_needed
        self.listing_refused = verdict is not None and verdict.refused
        if verdict is not None:
            self.error = self._mask_and_cut(verdict.reason)
        self.error = self.error or "it ended by itself"
        self.changed.set()
        if not self._stopping:
            log.warning("mcp_server.lost", server=self.plan.name, error=self.error)
