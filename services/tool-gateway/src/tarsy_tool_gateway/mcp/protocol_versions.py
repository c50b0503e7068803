"""Protocol versions: whether a server has the handshake (until 2025-11-25) or not (since 2026-07-28)."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from mcp import Client, MCPError
from mcp.client.session import ClientSession
from mcp.shared.dispatcher import CallOptions
from mcp_types import REQUEST_TIMEOUT, CallToolResult, DiscoverResult
from mcp_types.version import LATEST_MODERN_VERSION

from tarsy_config.sections.transports import Protocol
from tarsy_tool_gateway.mcp.direct_calls import CALL, DirectCalls, Params, Send
from tarsy_tool_gateway.mcp.handshake import Handshake
from tarsy_tool_gateway.mcp.sdk_internals import PreparedClient, dispatcher_of
from tarsy_tool_gateway.mcp.tool_sieve import ToolSieve
from tarsy_tool_gateway.results.salvage import salvage_result
from tarsy_tool_gateway.results.structured_copy import is_long

MOST_PROBE_SECONDS = 10.0
DISCOVER = "server/discover"
MODES = {"auto": "auto", "legacy": "legacy", "modern": LATEST_MODERN_VERSION}


@dataclass(kw_only=True)
class ProbingClient(PreparedClient):
    """`probe_seconds`: how long a server may be silent until the handshake of the older era begins, too.

    Many an older one never answers what it does not know.
    The SDK's check of results is left out: it has no bounds, and would throw away what was found.
    `direct_calls` go before those of the SDK. `sieve` leaves wrong tools out of listings.
    """

    probe_seconds: float = MOST_PROBE_SECONDS
    direct_calls: DirectCalls = field(default_factory=DirectCalls)
    sieve: ToolSieve = field(default_factory=ToolSieve)

    def prepare(self, session: ClientSession) -> None:
        handshake = Handshake(session, probe_seconds=self.probe_seconds)

        async def unchecked(name: str, result: CallToolResult) -> None:
            """The result is judged where it is rendered."""

        dispatcher = dispatcher_of(session)
        send = self.direct_calls.before(_without_limit_of_probe(dispatcher.send_raw_request), dispatcher.notify)
        send = self.sieve.before(_with_salvage(send), lambda: session.protocol_version)
        dispatcher.send_raw_request = send  # type: ignore[method-assign, assignment]
        session.send_discover = handshake.probe  # type: ignore[method-assign]
        session.initialize = handshake.initialize  # type: ignore[method-assign]
        session.validate_tool_result = unchecked  # type: ignore[method-assign]


def _without_limit_of_probe(send: Send) -> Send:
    """`send` of the SDK, whose own limit would lose the answer of a program that is still starting."""

    async def sent(method: str, params: Params, opts: CallOptions | None = None, **more: Any) -> dict[str, Any]:
        if method == DISCOVER and opts is not None:
            opts = {name: value for name, value in opts.items() if name != "timeout"}  # type: ignore[assignment]
        return await send(method, params, opts, **more)

    return sent


def _with_salvage(send: Send) -> Send:
    async def sent(method: str, params: Params, opts: CallOptions | None = None, **more: Any) -> dict[str, Any]:
        result = await send(method, params, opts, **more)
        if method != CALL:
            return result
        return await asyncio.to_thread(salvage_result, result) if is_long(result) else salvage_result(result)

    return sent


class ProtocolVersions:
    """The version that worked last is tried first the next time. When it fails, the server may have been exchanged."""

    def __init__(self, protocol: Protocol, *, probe_seconds: float) -> None:
        self._configured = protocol
        self._next = protocol
        self._probe_seconds = min(probe_seconds, MOST_PROBE_SECONDS)

    @property
    def next(self) -> Protocol:
        """The version that the next session tries first."""
        return self._next

    @asynccontextmanager
    async def speaking(self, new_client: Callable[..., ProbingClient]) -> AsyncIterator[Client]:
        """A session in the right era. `new_client` makes an ProbingClient of `mode` and `probe_seconds`."""
        era, self._next = self._next, self._configured
        async with new_client(mode=MODES[era], probe_seconds=self._probe_seconds) as client:
            if era == "modern":
                # This is no probe, for there is no other way to go on; but the server says here who it is today.
                await _discover_version(client.session)
            yield client

    def note_success(self, client: Client) -> None:
        """The session was used, and answered."""
        self._next = "legacy" if client.session.initialize_result is not None else "modern"


async def _discover_version(session: ClientSession) -> None:
    """Raises MCPError, and RuntimeError when there is no version in common. The caller sets the limit."""
    while True:
        try:
            found = await session.send_discover(LATEST_MODERN_VERSION)
        except MCPError as problem:
            # A program that is still starting answers the next question.
            if problem.code != REQUEST_TIMEOUT:
                raise
        else:
            session.adopt(DiscoverResult.model_validate(found))
            return
