"""Handshake with a server of unknown era: the probe of the newer one is still good when that of the older was sent.

A program that starts slowly reads both at once. It answers the probe, and refuses the handshake as its second.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from mcp import MCPError
from mcp.client.session import ClientSession
from mcp_types import REQUEST_TIMEOUT, InitializeResult

type Probe = Callable[[str], Awaitable[dict[str, Any]]]


class Handshake:
    """`probe` and `initialize` stand for the two functions of a session with which the SDK negotiates."""

    def __init__(self, session: ClientSession, *, probe_seconds: float) -> None:
        self._probe: Probe = session.send_discover
        self._initialize: Callable[[], Awaitable[InitializeResult]] = session.initialize
        self._seconds = probe_seconds
        self._answered: InitializeResult | Exception | None = None

    async def initialize(self) -> InitializeResult:
        """The answer to the handshake that was sent beside the probe, if there was one."""
        answered, self._answered = self._answered, None
        return await self._initialize() if answered is None else _raise_or_return(answered)

    async def probe(self, version: str) -> dict[str, Any]:
        """Raises MCPError where the server is of the older era. The caller sets the limit of it all."""
        async with asyncio.TaskGroup() as tasks:
            probing = tasks.create_task(_result_or_error(self._probe(version)), name="probe of the newer era")
            await asyncio.wait([probing], timeout=self._seconds)
            if not probing.done():
                handshake = tasks.create_task(_result_or_error(self._initialize()), name="handshake of the older era")
                self._answered = await self._wait_for_first_success(probing, handshake)
        if probing.cancelled():
            raise MCPError(REQUEST_TIMEOUT, "it did not say in time whether it is of the newer era")
        return _raise_or_return(probing.result())

    async def _wait_for_first_success(
        self,
        probing: asyncio.Task[dict[str, Any] | Exception],
        handshake: asyncio.Task[InitializeResult | Exception],
    ) -> InitializeResult | Exception | None:
        """The outcome of the handshake, None where the probe made it needless. Both tasks end."""
        await asyncio.wait([probing, handshake], return_when=asyncio.FIRST_COMPLETED)
        if not handshake.done() and isinstance(probing.result(), Exception):
            await asyncio.wait([handshake])
        if handshake.done() and isinstance(handshake.result(), Exception):
            await asyncio.wait([probing], timeout=self._seconds)
        if probing.done() and not isinstance(probing.result(), Exception):
            handshake.cancel()
            return None
        probing.cancel()
        return await handshake


async def _result_or_error[T](attempt: Awaitable[T]) -> T | Exception:
    try:
        return await attempt
    except Exception as problem:  # noqa: BLE001 - it is raised where the outcome is taken
        return problem


def _raise_or_return[T](outcome: T | Exception) -> T:
    if isinstance(outcome, Exception):
        raise outcome
    return outcome
