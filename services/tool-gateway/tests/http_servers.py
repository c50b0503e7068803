"""MCP servers over HTTP for tests: children of ours on real sockets, and a wire that can be cut."""

import asyncio
import os
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from forked_server import ForkedServer

from tarsy_processes.ports import free_port
from tarsy_testing.real_servers import eventually

type NewServer = Callable[..., "HttpServer"]
"""The fixture of conftest.py: of an era, over TLS or not, with an environment."""


class HttpServer:
    """`start` may be called again after `kill`: the same address, another process."""

    def __init__(self, port: int, era: str, environment: Mapping[str, str], tls: tuple[Path, ...] = ()) -> None:
        self.port = port
        self.url = f"http{'s' if tls else ''}://127.0.0.1:{port}/mcp"
        self._arguments = [str(port), era, *map(str, tls)]
        self._environment = environment
        self._process: subprocess.Popen[bytes] | ForkedServer | None = None

    async def start(self) -> None:
        self.kill()
        self._spawn()
        await eventually(self._listens, "the HTTP server listens")

    def _spawn(self) -> None:
        self._process = ForkedServer(self._arguments, self._environment)

    async def _listens(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", self.port)
        except OSError:
            return False
        writer.close()
        await writer.wait_closed()
        return True

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    async def ended(self) -> None:
        """For one that takes its own life."""
        process = self._process
        assert process is not None

        async def look() -> bool:
            return process.poll() is not None

        await eventually(look, "the HTTP server has ended")

    def pause(self) -> None:
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)


class HttpProgram(HttpServer):
    """Another program of the tests, which gets its port. Nothing of it is imported before it starts."""

    def __init__(self, program: Path, port: int, environment: Mapping[str, str]) -> None:
        super().__init__(port, "", environment)
        self._program = program

    def _spawn(self) -> None:
        command = [sys.executable, str(self._program), str(self.port)]
        self._process = subprocess.Popen(command, env={**os.environ, **self._environment}, stderr=subprocess.DEVNULL)


class Wire:
    """Passes on what comes, and resets the connection on which somebody has said a certain word."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._said: dict[asyncio.StreamWriter, bytearray] = {}

    def reset(self, word: bytes) -> None:
        (victim,) = [writer for writer, said in self._said.items() if word in said]
        connection: socket.socket = victim.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        victim.transport.abort()

    async def carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._said[writer] = bytearray()
        there, back = await asyncio.open_connection("127.0.0.1", self._port)
        try:
            forth = asyncio.create_task(self._pass(reader, back, self._said[writer]))
            await self._pass(there, writer, bytearray())
            forth.cancel()
            await asyncio.wait([forth])
        finally:
            del self._said[writer]
            back.close()
            writer.close()

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, said: bytearray) -> None:
        try:
            while some := await reader.read(65536):
                said += some
                writer.write(some)
                await writer.drain()
        except ConnectionError:
            pass
        finally:
            writer.close()


@asynccontextmanager
async def wire(port: int) -> AsyncIterator[tuple[Wire, str]]:
    """A wire to the server at this port, and its address."""
    wire = Wire(port)
    listening = await asyncio.start_server(wire.carry, "127.0.0.1", free_port())
    try:
        number = listening.sockets[0].getsockname()[1]
        yield wire, f"http://127.0.0.1:{number}/mcp"
    finally:
        listening.close()
