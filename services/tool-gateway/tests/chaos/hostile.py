"""The hostile server as the gateway meets it: a program that it starts, or an address."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal

from connections import connected, plan_to
from gateway_owner import call, until_noted
from http_servers import HttpProgram

from tarsy_contracts.messages.requests import ToolCallRequest
from tarsy_processes.ports import free_port
from tarsy_tool_gateway.mcp.connection import McpConnection
from tarsy_tool_gateway.mcp.health import HealthCheck, SessionEnd
from tarsy_tool_gateway.mcp.server_plan import HttpTransport, StdioTransport, TransportPlan
from tarsy_tool_gateway.mcp.tool_server import McpToolServer
from tarsy_tool_gateway.tool_servers import ToolOutput

type Wire = Literal["stdio", "http"]
type Era = Literal["modern", "legacy"]

WIRES: tuple[tuple[Wire, Era], ...] = (("stdio", "legacy"), ("http", "modern"), ("http", "legacy"))
PROGRAM = Path(__file__).with_name("hostile_server.py")
OFTEN = HealthCheck(every_seconds=0.2, within_seconds=3.0)
"""A server that lives answers within that, whatever else the machine does."""
READY_SECONDS = 90.0


def environment(calls_file: Path, **more: str) -> dict[str, str]:
    return {"CALLS": str(calls_file), "PYTHONPATH": str(PROGRAM.parents[1]), **more}


def program(calls_file: Path, era: Era = "legacy", **more: str) -> StdioTransport:
    return StdioTransport(sys.executable, (str(PROGRAM),), environment(calls_file, **more), protocol=era)


class HostileServer(HttpProgram):
    """Over HTTP. `start` may be called again after `kill`."""

    def __init__(self, calls_file: Path) -> None:
        super().__init__(PROGRAM, free_port(), environment(calls_file))


class Subject:
    """One hostile server over one wire. Over stdio it is the gateway that starts it again, over HTTP the test."""

    def __init__(self, calls_file: Path, era: Era, http: HostileServer | None) -> None:
        self.calls_file = calls_file
        self._era = era
        self._http = http

    @property
    def transport(self) -> TransportPlan:
        if self._http is not None:
            return HttpTransport(self._http.url, protocol=self._era)
        return program(self.calls_file, self._era)

    @property
    def pid(self) -> int:
        """Of the process that was started last."""
        return int(self.calls_file.with_name("PID").read_text("utf-8"))

    def signal(self, number: signal.Signals) -> None:
        os.kill(self.pid, number)

    @property
    def is_program(self) -> bool:
        return self._http is None

    def stay_dead(self) -> None:
        self.calls_file.with_name("DEAD").touch()

    async def restarted(self) -> None:
        """After it was killed: somebody starts it again."""
        if self._http is not None:
            await self._http.start()

    def offer(self, *tools: str) -> None:
        """What it lists when it is asked next."""
        self.calls_file.with_name("TOOLS").write_text("\n".join(tools), encoding="utf-8")

    async def until_noted(self, line: str) -> None:
        await until_noted(self.calls_file, line)

    @asynccontextmanager
    async def connected(
        self, *, checking: HealthCheck = OFTEN, ends: list[SessionEnd] | None = None
    ) -> AsyncIterator[McpConnection]:
        async with connected(plan_to(self.transport), checking=checking, ends=ends) as connection:
            await connection.wait_ready(READY_SECONDS)
            yield connection


@asynccontextmanager
async def hostile(calls_file: Path, wire: Wire, era: Era) -> AsyncIterator[Subject]:
    if wire == "stdio":
        yield Subject(calls_file, era, None)
        return
    server = HostileServer(calls_file)
    await server.start()
    try:
        yield Subject(calls_file, era, server)
    finally:
        server.resume()
        server.kill()


async def said(connection: McpConnection, request: ToolCallRequest) -> ToolOutput:
    return await McpToolServer(connection, READY_SECONDS, jitter=lambda: 0.05).call(request)


async def begun(
    connection: McpConnection, calls_file: Path, request: ToolCallRequest, line: str
) -> "asyncio.Task[ToolOutput]":
    """The call, once the server has noted that line."""
    running = asyncio.create_task(said(connection, request))
    await until_noted(calls_file, line)
    return running


async def echoes(connection: McpConnection, text: str) -> bool:
    """Whether an ordinary call works."""
    return await said(connection, call("echo", repeatable=True, text=text)) == ToolOutput("ok", text)


def starts(calls_file: Path) -> list[float]:
    """When its processes started."""
    lines = calls_file.read_text("utf-8").splitlines() if calls_file.exists() else []
    return [float(line.split()[1]) for line in lines if line.startswith("starts ")]
