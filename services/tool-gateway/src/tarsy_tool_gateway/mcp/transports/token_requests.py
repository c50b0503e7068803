"""Requests that a token takes: sent one by one, bounded in bytes, number and time. The SDK's provider makes them."""

from collections.abc import AsyncGenerator, Awaitable, Callable

import httpx2
from mcp.client.auth import OAuthFlowError
from pydantic import ValidationError

from tarsy_tool_gateway.mcp.transports.aiohttp_transport import CONNECT_SECONDS
from tarsy_tool_gateway.mcp.transports.bounded_answer import read_whole, with_content
from tarsy_tool_gateway.results.bytes_in_flight import TooLongError

AUTHORIZATION = "authorization"
TOKEN_SECONDS = 30.0
"""For all requests that a token takes."""
READ_SECONDS = 15.0
MOST_BYTES = 256 * 1024
"""Limit for one answer of an authorization server."""
MOST_REQUESTS = 20

type Ask = Callable[[httpx2.Request], Awaitable[httpx2.Response]]


async def ask(wire: httpx2.AsyncBaseTransport, outgoing: httpx2.Request) -> httpx2.Response:
    """The whole answer. Raises ConnectError where nobody answers, and TooLongError."""
    outgoing.extensions["timeout"] = {"connect": CONNECT_SECONDS, "pool": CONNECT_SECONDS, "read": READ_SECONDS}
    try:
        response = await wire.handle_async_request(outgoing)
        answer = with_content(response, await read_whole(response, MOST_BYTES))
    except httpx2.TransportError as problem:
        raise httpx2.ConnectError(f"no token: {problem}", request=outgoing) from problem
    answer.request = outgoing
    return answer


async def follow_flow(
    flow: AsyncGenerator[httpx2.Request, httpx2.Response], probe: httpx2.Request, refused: httpx2.Response, ask: Ask
) -> str:
    """The header that the flow writes into `probe`, which is not sent: `refused` is its answer.

    Raises OAuthFlowError where the flow comes to no end.
    """
    outgoing, was_refused = await anext(flow), False
    for _ in range(MOST_REQUESTS):
        if outgoing is not probe:
            answer = await ask(outgoing)
        elif was_refused:
            return str(probe.headers[AUTHORIZATION])
        else:
            answer, was_refused = refused, True
        try:
            outgoing = await flow.asend(answer)
        except StopAsyncIteration:
            break
    raise OAuthFlowError("the authorization server led to no token")


def replace_scope(refused: httpx2.Response, scope: str | None) -> httpx2.Response:
    """The refusal as if the server asked for this scope: the SDK takes its word before that of the configuration."""
    if scope is None:
        return refused
    challenge = refused.headers.get("www-authenticate", "Bearer").partition(" ")[2]
    headers = {"www-authenticate": f'Bearer scope="{scope}", {challenge}'.rstrip(", ")}
    return httpx2.Response(refused.status_code, headers=headers)


def describe_problem(problem: Exception) -> str:
    """Why there is no token, in words that hold no answer of a server that may be secret."""
    match problem:
        case TimeoutError():
            return f"nobody gave one within {TOKEN_SECONDS:g} seconds"
        case TooLongError():
            return f"its authorization server answers with more than {MOST_BYTES} bytes"
        case ValidationError():
            # pydantic's own words hold what the server said.
            return "its authorization server answers what is no token"
        case _:
            return str(problem)
