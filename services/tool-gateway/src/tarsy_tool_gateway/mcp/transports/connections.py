"""Connections to an MCP server, and to what belongs to it, with the TLS of its configuration."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tarsy_egress.clients import tls_context
from tarsy_tool_gateway.mcp.diagnosis import MisconfiguredError
from tarsy_tool_gateway.mcp.server_plan import WebAddress
from tarsy_tool_gateway.mcp.transports.aiohttp_transport import AiohttpTransport

IDLE_SECONDS = 1.0
"""Servers close idle connections after some seconds. A call that is sent just then may or may not have run."""


@asynccontextmanager
async def connections_to(address: WebAddress, *, most: int) -> AsyncIterator[AiohttpTransport]:
    """Raises MisconfiguredError."""
    # In a thread, for reading all the authorities of a system takes a while.
    tls = await asyncio.to_thread(_make_tls_context, address)
    async with AiohttpTransport(tls, most=most, idle_seconds=IDLE_SECONDS) as connections:
        yield connections


def _make_tls_context(address: WebAddress) -> ssl.SSLContext:
    try:
        context = tls_context(address.ca_file)
    except ssl.SSLError:
        raise MisconfiguredError(f"ca_file {address.ca_file} holds no certificate") from None
    except OSError as problem:
        raise MisconfiguredError(f"ca_file {address.ca_file} cannot be read: {problem.strerror}") from None
    if not address.verify:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context
