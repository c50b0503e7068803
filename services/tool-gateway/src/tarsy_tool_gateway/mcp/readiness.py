"""Readiness gate: a rollout does not go on with a gateway that has a misconfigured MCP server."""

import asyncio
from collections.abc import Collection, Iterable
from typing import Protocol

import structlog

from tarsy_tool_gateway.mcp.server_plan import ServerPlan

log = structlog.get_logger(__name__)

LOOK_SECONDS = 0.2


class DiagnosedServer(Protocol):
    """`diagnosed`: the first attempt to reach it is over. `error` is masked."""

    plan: ServerPlan
    error: str
    misconfigured: bool

    @property
    def diagnosed(self) -> bool: ...


class RefusedServer(Protocol):
    """`error` is masked."""

    plan: ServerPlan
    error: str
    listing_refused: bool


def refusals(servers: Iterable[RefusedServer]) -> list[str]:
    """Sentences for servers whose lists of tools are refused: no rollout waits for them, but they do no work."""
    return [
        f"MCP server {each.plan.name}: {each.error}; it is asked again after some minutes"
        for each in servers
        if each.listing_refused
    ]


class ReadinessGate:
    """Open once no server is known to be wrong, and open from then on: what was deployed then was right.

    `seconds`: how long a server that is slow to start may take to show what it is.
    """

    def __init__(self, servers: Collection[DiagnosedServer], *, seconds: float) -> None:
        """`servers` may change while it is closed: what was wrong may be taken out of the configuration."""
        self._servers = servers
        self._seconds = seconds
        self._open = False
        self._waiting = True
        self._logged: list[tuple[str, str]] = []

    def unready_reasons(self) -> list[str]:
        """Why it is closed, in sentences."""
        if self._open:
            return []
        wrong = [f"MCP server {each.plan.name}: {each.error}" for each in self._servers if each.misconfigured]
        unknown = [f"MCP server {each.plan.name}: {each.error}" for each in self._servers if self._is_awaited(each)]
        return wrong + unknown

    async def watch(self) -> None:
        """Returns when it is open."""
        until = asyncio.get_running_loop().time() + self._seconds
        while not self._open:
            self._waiting = asyncio.get_running_loop().time() < until
            self._log_reason()
            self._open = not self.unready_reasons()
            if not self._open:
                await asyncio.sleep(LOOK_SECONDS)
        log.info("mcp_servers.accepted", servers=len(self._servers))

    def _is_awaited(self, server: DiagnosedServer) -> bool:
        return self._waiting and not server.diagnosed and not server.misconfigured

    def _log_reason(self) -> None:
        """Each reason once."""
        wrong = [(each.plan.name, each.error) for each in self._servers if each.misconfigured]
        for name, error in wrong:
            if (name, error) not in self._logged:
                log.error("mcp_server.misconfigured", server=name, error=error)
        self._logged = wrong
