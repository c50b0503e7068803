"""Opener of a session's streams, by the kind of the transport."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import assert_never

from tarsy_tool_gateway.mcp.direct_calls import DirectCalls
from tarsy_tool_gateway.mcp.messages.stream_counts import StreamCounts
from tarsy_tool_gateway.mcp.sdk_internals import TransportStreams
from tarsy_tool_gateway.mcp.server_plan import HttpTransport, ServerPlan, SseTransport, StdioTransport
from tarsy_tool_gateway.mcp.transports.login_tokens import NO_LOGINS, Logins
from tarsy_tool_gateway.mcp.transports.session_termination import terminating_sessions
from tarsy_tool_gateway.mcp.transports.sse import sse_streams
from tarsy_tool_gateway.mcp.transports.stderr_log import standard_error
from tarsy_tool_gateway.mcp.transports.stdio import stdio_streams
from tarsy_tool_gateway.mcp.transports.streamable_http import http_streams

type Open = Callable[[Callable[[], None], DirectCalls], AbstractAsyncContextManager[TransportStreams]]
"""Opens one session. The first argument is called when the server has ended, where that can be noticed. The second
begins where calls can be made past the SDK.
"""


@asynccontextmanager
async def opener(
    plan: ServerPlan, mask: Callable[[str], str], logins: Logins = NO_LOGINS, counts: StreamCounts | None = None
) -> AsyncIterator[Open]:
    """Resources that outlive single sessions exist as long as the body runs."""
    calls, counted = plan.limits.concurrent, counts or StreamCounts()
    match plan.transport:
        case StdioTransport() as program:
            async with standard_error(plan.name, mask) as file:
                yield lambda ended, _: stdio_streams(program, file, ended, counted)
        case HttpTransport() as http:
            async with terminating_sessions(plan.name, http, logins):
                # A server at the other end of a network is missed when it is called, or asked for its tools.
                yield lambda _ended, direct_calls: http_streams(
                    http, direct_calls, calls=calls, logins=logins, in_flight=counted.in_flight
                )
        case SseTransport() as sse:
            async with terminating_sessions(plan.name, sse, logins):
                yield lambda ended, _: sse_streams(sse, calls=calls, ended=ended, counts=counted, logins=logins)
        case _:
            assert_never(plan.transport)
