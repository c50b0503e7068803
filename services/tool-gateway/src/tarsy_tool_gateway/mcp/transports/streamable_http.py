"""Streamable HTTP transport: one HTTP client of our own for each session."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import assert_never

import httpx2
from mcp.client.streamable_http import streamable_http_client

from tarsy_tool_gateway.mcp.direct_calls import DirectCalls
from tarsy_tool_gateway.mcp.gateway_errors import MOST_ANSWER_BYTES
from tarsy_tool_gateway.mcp.sdk_internals import TransportStreams
from tarsy_tool_gateway.mcp.server_plan import HttpTransport, LoginClient, OAuthCredentials, WebAddress
from tarsy_tool_gateway.mcp.transports.aiohttp_transport import CONNECT_SECONDS, AiohttpTransport
from tarsy_tool_gateway.mcp.transports.authorization import AuthorizedTransport
from tarsy_tool_gateway.mcp.transports.client_credentials import ClientCredentialsTokens
from tarsy_tool_gateway.mcp.transports.connections import connections_to
from tarsy_tool_gateway.mcp.transports.http_errors import HttpErrorTransport
from tarsy_tool_gateway.mcp.transports.login_tokens import NO_LOGINS, Logins, LoginTokens
from tarsy_tool_gateway.mcp.transports.server_stream import ServerStream
from tarsy_tool_gateway.results.bytes_in_flight import BytesInFlight

BESIDE_CALLS = 8
"""Connections for what is no call: the server's own messages, cancellations, lists of tools, calls given up."""


@asynccontextmanager
async def http_streams(
    transport: HttpTransport,
    direct_calls: DirectCalls,
    *,
    calls: int,
    logins: Logins = NO_LOGINS,
    in_flight: BytesInFlight | None = None,
) -> AsyncIterator[TransportStreams]:
    """Raises MisconfiguredError."""
    async with web_client(
        transport, calls=calls, direct_calls=direct_calls, logins=logins, in_flight=in_flight
    ) as client:
        opening = streamable_http_client(transport.url, http_client=client, max_sse_event_size=MOST_ANSWER_BYTES)
        async with opening as streams:
            yield streams


@asynccontextmanager
async def web_client(
    address: WebAddress,
    *,
    calls: int,
    direct_calls: DirectCalls | None = None,
    logins: Logins = NO_LOGINS,
    in_flight: BytesInFlight | None = None,
) -> AsyncIterator[httpx2.AsyncClient]:
    """No limit on reading: how long a call may take is the call's own business. Raises MisconfiguredError.

    httpx's own way with proxies (`trust_env`) is of no use: the transport decides. It would also read `.netrc`.
    """
    direct_calls = direct_calls or DirectCalls()
    async with connections_to(address, most=calls + BESIDE_CALLS) as connections:
        # Closed by itself too: a client that cannot be made closes no transport.
        client = httpx2.AsyncClient(
            transport=HttpErrorTransport(
                _with_authorization(connections, address, logins), ServerStream(), direct_calls, in_flight
            ),
            headers=dict(address.headers),
            timeout=httpx2.Timeout(CONNECT_SECONDS, read=None),
            trust_env=False,
        )
        async with client:
            if address.oauth is None:
                direct_calls.begin(connections, address.url, client.headers)
            yield client


def _with_authorization(
    connections: AiohttpTransport, address: WebAddress, logins: Logins
) -> httpx2.AsyncBaseTransport:
    """Direct calls have no token: with one, all calls go through the SDK."""
    match address.oauth:
        case None:
            return connections
        case OAuthCredentials() as client:
            tokens = ClientCredentialsTokens(connections, address.url, client)
            return AuthorizedTransport(connections, address.url, tokens)
        case LoginClient() as client:
            return AuthorizedTransport(connections, address.url, LoginTokens(logins, address, client))
        case _:
            assert_never(address.oauth)
