"""Streamable HTTP: one client of our own for each session."""

import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx2
from mcp.client._transport import TransportStreams
from mcp.client.streamable_http import streamable_http_client

from tarsy_tool_gateway.http_answers import MOST_ANSWER_BYTES, AnsweringTransport
from tarsy_tool_gateway.http_lanes import Lanes
from tarsy_tool_gateway.plan import HttpTransport

CONNECT_SECONDS = 10.0
WRITE_SECONDS = 30.0
IDLE_SECONDS = 1.0
"""Servers close idle connections after some seconds. A call that is sent just then may or may not have run."""
BESIDE_CALLS = 8
"""Connections for what is no call: the server's own messages, cancellations, lists of tools, calls given up."""


@asynccontextmanager
async def http_streams(transport: HttpTransport, *, calls: int) -> AsyncIterator[TransportStreams]:
    """No limit on reading: how long a call may take is the call's own business.

    Nothing of our environment takes part (`trust_env`): a proxy that somebody set for something else would see what the
    tools say. SSL_CERT_FILE counts, for it is OpenSSL that reads it.
    """
    tls = _tls(transport)
    lanes = Lanes(lambda: _lane(tls), most=calls + BESIDE_CALLS, idle_seconds=IDLE_SECONDS)
    client = httpx2.AsyncClient(
        transport=AnsweringTransport(lanes),
        headers=dict(transport.headers),
        timeout=httpx2.Timeout(CONNECT_SECONDS, read=None, write=WRITE_SECONDS),
        trust_env=False,
    )
    async with client:
        opening = streamable_http_client(transport.url, http_client=client, max_sse_event_size=MOST_ANSWER_BYTES)
        async with opening as streams:
            yield streams


def _lane(tls: ssl.SSLContext) -> httpx2.AsyncBaseTransport:
    limits = httpx2.Limits(max_connections=1, max_keepalive_connections=1, keepalive_expiry=IDLE_SECONDS)
    return httpx2.AsyncHTTPTransport(verify=tls, trust_env=False, limits=limits)


def _tls(transport: HttpTransport) -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=transport.ca_file)
    if not transport.verify:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context
