"""Streamable HTTP transport: one HTTP client of our own for each session."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx2
from mcp.client.streamable_http import streamable_http_client

from tarsy_tool_gateway.mcp.diagnosis import MisconfiguredError
from tarsy_tool_gateway.mcp.direct_calls import DirectCalls
from tarsy_tool_gateway.mcp.sdk_internals import TransportStreams
from tarsy_tool_gateway.mcp.server_plan import HttpTransport, WebAddress
from tarsy_tool_gateway.mcp.transports.aiohttp_transport import CONNECT_SECONDS, AiohttpTransport
from tarsy_tool_gateway.mcp.transports.authorization import AuthorizedTransport
from tarsy_tool_gateway.mcp.transports.http_errors import MOST_ANSWER_BYTES, HttpErrorTransport
from tarsy_tool_gateway.mcp.transports.server_stream import ServerStream

IDLE_SECONDS = 1.0
"""Servers close idle connections after some seconds. A call that is sent just then may or may not have run."""
BESIDE_CALLS = 8
"""Connections for what is no call: the server's own messages, cancellations, lists of tools, calls given up."""


@asynccontextmanager
async def http_streams(
    transport: HttpTransport, direct_calls: DirectCalls, *, calls: int
) -> AsyncIterator[TransportStreams]:
    """Raises MisconfiguredError."""
    async with web_client(transport, calls=calls, direct_calls=direct_calls) as client:
        opening = streamable_http_client(transport.url, http_client=client, max_sse_event_size=MOST_ANSWER_BYTES)
        async with opening as streams:
            yield streams


@asynccontextmanager
async def web_client(
    address: WebAddress, *, calls: int, direct_calls: DirectCalls | None = None
) -> AsyncIterator[httpx2.AsyncClient]:
    """No limit on reading: how long a call may take is the call's own business. Raises MisconfiguredError.

    Nothing of our environment takes part (`trust_env`): a proxy that somebody set for something else would see what the
    tools say. SSL_CERT_FILE counts, for it is OpenSSL that reads it.
    """
    direct_calls = direct_calls or DirectCalls()
    # In a thread, for reading all the authorities of a system takes a while.
    tls = await asyncio.to_thread(_tls, address)
    async with AiohttpTransport(tls, most=calls + BESIDE_CALLS, idle_seconds=IDLE_SECONDS) as connections:
        # Closed by itself too: a client that cannot be made closes no transport.
        client = httpx2.AsyncClient(
            transport=HttpErrorTransport(_authorized(connections, address), ServerStream(), direct_calls),
            headers=dict(address.headers),
            timeout=httpx2.Timeout(CONNECT_SECONDS, read=None),
            trust_env=False,
        )
        async with client:
            if address.oauth is None:
                direct_calls.begin(connections, address.url, client.headers)
            yield client


def _authorized(connections: AiohttpTransport, address: WebAddress) -> httpx2.AsyncBaseTransport:
    """Direct calls have no token: with one, all calls go through the SDK."""
    return connections if address.oauth is None else AuthorizedTransport(connections, address.url, address.oauth)


def _tls(address: WebAddress) -> ssl.SSLContext:
    try:
        context = ssl.create_default_context(cafile=address.ca_file)
    except ssl.SSLError:
        raise MisconfiguredError(f"ca_file {address.ca_file} holds no certificate") from None
    except OSError as problem:
        raise MisconfiguredError(f"ca_file {address.ca_file} cannot be read: {problem.strerror}") from None
    if not address.verify:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context
