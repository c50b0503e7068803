"""How a session with a server is opened, by the kind of its transport."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from typing import assert_never

from mcp import StdioServerParameters
from mcp.client._transport import TransportStreams

from tarsy_tool_gateway.http_transport import http_streams
from tarsy_tool_gateway.plan import HttpTransport, ServerPlan, StdioTransport
from tarsy_tool_gateway.server_log import standard_error
from tarsy_tool_gateway.stdio_transport import noticing_stdio

type Open = Callable[[Callable[[], None]], AbstractAsyncContextManager[TransportStreams]]
"""Opens one session. It is told what to call when the server has ended, where that can be noticed."""


@asynccontextmanager
async def opener(plan: ServerPlan, mask: Callable[[str], str]) -> AsyncIterator[Open]:
    """What outlives the single sessions is there as long as the body runs."""
    match plan.transport:
        case StdioTransport(command, arguments, environment):
            parameters = StdioServerParameters(command=command, args=list(arguments), env=dict(environment))
            async with standard_error(plan.name, mask) as file:
                yield partial(noticing_stdio, parameters, file)
        case HttpTransport() as transport:
            # A server at the other end of a network is missed when it is called, or asked for its tools.
            yield lambda _ended: http_streams(transport, calls=plan.limits.concurrent)
        case _:
            assert_never(plan.transport)
