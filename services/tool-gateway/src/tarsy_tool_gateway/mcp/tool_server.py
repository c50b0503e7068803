"""Calls of an MCP server's tools, with retries, and their outcomes."""

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from mcp_types import CallToolResult

from tarsy_contracts.events import Outcome
from tarsy_contracts.messages.requests import ToolCallRequest
from tarsy_tool_gateway.mcp.connection import McpConnection
from tarsy_tool_gateway.mcp.failures import (
    LEAST_PAUSE_SECONDS,
    MOST_PAUSE_SECONDS,
    MOST_REASON_CHARACTERS,
    CallFailedError,
    FailureKind,
    pause_before_next,
)
from tarsy_tool_gateway.mcp.progress import ReportProgress
from tarsy_tool_gateway.results.rendering import render_result, takes_long
from tarsy_tool_gateway.results.text import truncate_at_space
from tarsy_tool_gateway.tool_servers import ToolOutput, describe_unknown_outcome
from tarsy_worker.claim_types import ServerLimits
from tarsy_worker.runner import MayStart, always

REFUSED_CODES = (-32601, -32602)
"""Method not found and invalid params: the server did not run anything."""

CUT_OFF = "The tool gateway lost its connection to Kafka before it could run the tool: it did not run."


def _draw_pause() -> float:
    return random.uniform(LEAST_PAUSE_SECONDS, MOST_PAUSE_SECONDS)


def _now() -> datetime:
    return datetime.now(UTC)


async def _drop_progress(progress: float, total: float | None, message: str | None) -> None:
    pass


@asynccontextmanager
async def _without_progress(_: ToolCallRequest) -> AsyncIterator[ReportProgress]:
    yield _drop_progress


@dataclass(frozen=True, slots=True)
class McpToolServer:
    """The tools of one MCP server. `ready_seconds`: how long a call waits for a session with a server that was tried.

    `retried` is called for every further attempt; `progress` publishes what the server reports of a running call.
    """

    connection: McpConnection
    ready_seconds: float
    progress: Callable[[ToolCallRequest], AbstractAsyncContextManager[ReportProgress]] = _without_progress
    retried: Callable[[FailureKind], None] = lambda _: None
    jitter: Callable[[], float] = _draw_pause
    now: Callable[[], datetime] = _now

    @property
    def limits(self) -> ServerLimits:
        return self.connection.plan.limits

    async def call(self, request: ToolCallRequest, may_start: MayStart = always) -> ToolOutput:
        """Never raises for what a server does. All attempts together take no longer than the call may."""
        seconds = min(request.timeout_seconds, self.connection.plan.call_seconds or request.timeout_seconds)
        clock = asyncio.get_running_loop().time
        deadline = clock() + seconds
        before: list[CallFailedError] = []
        async with self.progress(request) as report_progress:
            while True:
                try:
                    return await self._try_call(request, deadline, report_progress, may_start)
                except CallFailedError as problem:
                    failure = problem
                pause = pause_before_next(
                    failure,
                    before,
                    repeatable=request.repeatable,
                    left_seconds=deadline - clock(),
                    jitter_seconds=self.jitter(),
                    now=self.now(),
                )
                if pause is None:
                    return replace(output_of(failure, request), nulls_left_out=self._arguments_left_out(request))
                self.retried(failure.kind)
                before.append(failure)
                await asyncio.sleep(pause)

    async def _try_call(
        self, request: ToolCallRequest, deadline: float, report_progress: ReportProgress, may_start: MayStart
    ) -> ToolOutput:
        """Raises CallFailedError."""
        connection = self.connection
        clock = asyncio.get_running_loop().time
        await connection.wait_ready(deadline - clock(), once_tried=self.ready_seconds)
        if request.tool not in connection.tools:
            return ToolOutput("rejected", _explain_no_such_tool(connection, request))
        checks = connection.checks
        arguments = checks.coerce(request.tool, checks.without_idle_nulls(request.tool, request.arguments))
        wrong = checks.wrong(request.tool, arguments)
        if wrong is not None:
            return ToolOutput("rejected", wrong)
        if not may_start():
            return ToolOutput("unavailable", CUT_OFF)
        left = max(0.1, deadline - clock())
        result = await connection.call(request.tool, arguments, left, report_progress)
        text = await render(result, checks.remark_on(request.tool, result))
        return ToolOutput("tool_error" if result.is_error else "ok", text, self._arguments_left_out(request))

    def _arguments_left_out(self, request: ToolCallRequest) -> tuple[str, ...]:
        """Names of the nulls that the server is not sent; nothing while its tools are not known."""
        if request.tool not in self.connection.tools:
            return ()
        sent = self.connection.checks.without_idle_nulls(request.tool, request.arguments)
        return tuple(name for name in request.arguments if name not in sent)


def output_of(failure: CallFailedError, request: ToolCallRequest) -> ToolOutput:
    """The output, for agent and reader, of a call that failed."""
    if failure.kind == "answered":
        outcome: Outcome = "rejected" if failure.code in REFUSED_CODES else "tool_error"
        return ToolOutput(outcome, f"The MCP server {request.server} answered with an error: {failure.why}")
    match failure.meaning.ran:
        case "yes":
            hint = "" if request.repeatable else " It may have run. Check before repeating it."
            return ToolOutput(
                "tool_error", f"The MCP server {request.server} answered what cannot be read: {failure.why}.{hint}"
            )
        case "no":
            wait = f", and asks to wait (Retry-After: {failure.retry_after})" if failure.retry_after is not None else ""
            return ToolOutput("unavailable", f"The MCP server {request.server} cannot be reached: {failure.why}{wait}")
        case "maybe" if request.repeatable:
            return ToolOutput("unavailable", f"The MCP server {request.server} gave no result: {failure.why}.")
        case "maybe":
            return ToolOutput("unknown", describe_unknown_outcome(request.tool, failure.why))


async def render(result: CallToolResult, remark: str | None) -> str:
    """`remark` follows in brackets."""
    text = await asyncio.to_thread(render_result, result) if takes_long(result) else render_result(result)
    return text if remark is None else f"{text}\n[{truncate_at_space(remark, MOST_REASON_CHARACTERS)}]"


def _explain_no_such_tool(connection: McpConnection, request: ToolCallRequest) -> str:
    known = ", ".join(sorted(connection.tools))
    return f"The MCP server {request.server} has no tool {request.tool}. It has: {known}"
