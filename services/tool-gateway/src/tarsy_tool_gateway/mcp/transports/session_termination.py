"""Termination of sessions: a DELETE to servers that keep something for each session."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from urllib.parse import urlsplit

import httpx2
import structlog

from tarsy_tool_gateway.mcp.diagnosis import MisconfiguredError
from tarsy_tool_gateway.mcp.server_plan import WebAddress
from tarsy_tool_gateway.mcp.transports.login_tokens import NO_LOGINS, Logins
from tarsy_tool_gateway.mcp.transports.streamable_http import web_client

log = structlog.get_logger(__name__)

CLEANUP_SECONDS = 15.0


@asynccontextmanager
async def terminating_sessions(server: str, address: WebAddress, logins: Logins = NO_LOGINS) -> AsyncIterator[None]:
    """Best effort: what the server does not hear of, it has to forget by itself."""
    try:
        yield
    finally:
        if address.cleanup_url is not None:
            await _request_cleanup(server, address, address.cleanup_url, logins)


async def _request_cleanup(server: str, address: WebAddress, url: str, logins: Logins) -> None:
    recipient = address if _is_same_host(address.url, url) else replace(address, headers={}, oauth=None)
    try:
        async with asyncio.timeout(CLEANUP_SECONDS), web_client(recipient, calls=1, logins=logins) as client:
            response = await client.request("DELETE", url)
    except (TimeoutError, MisconfiguredError, httpx2.TransportError, httpx2.InvalidURL) as problem:
        log.warning("mcp_server.not_cleaned_up", server=server, problem=type(problem).__name__)
        return
    # It may have forgotten the session before we did.
    if response.status_code >= 300 and response.status_code != httpx2.codes.NOT_FOUND:
        log.warning("mcp_server.not_cleaned_up", server=server, problem=f"HTTP {response.status_code}")


def _is_same_host(one: str, other: str) -> bool:
    """Scheme, host and port: what is secret goes nowhere else."""
    return urlsplit(one)[:2] == urlsplit(other)[:2]
