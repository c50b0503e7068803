"""A TCP port in front of another one, which can be shut: all that runs through it is cut, and nothing gets in."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from tarsy_processes.ports import free_port

HOST = "127.0.0.1"
CHUNK = 64 * 1024


class Door:
    def __init__(self, behind: int) -> None:
        self.port = free_port()
        self.behind = behind
        self._server: asyncio.Server | None = None
        self._through: set[asyncio.StreamWriter] = set()

    async def open(self) -> None:
        self._server = await asyncio.start_server(self._pass, HOST, self.port)

    def lead_to(self, behind: int) -> None:
        """Leads everybody there who comes from now on."""
        self.behind = behind

    def shut(self) -> None:
        if self._server is not None:
            self._server.close()
        for writer in self._through:
            writer.transport.abort()

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            inner, outer = await asyncio.open_connection(HOST, self.behind)
        except OSError:
            writer.transport.abort()
            return
        both = {writer, outer}
        self._through |= both
        try:
            with suppress(OSError):
                async with asyncio.TaskGroup() as group:
                    group.create_task(_copy(reader, outer))
                    group.create_task(_copy(inner, writer))
        finally:
            self._through -= both
            for one in both:
                one.transport.abort()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(CHUNK):
            writer.write(data)
            await writer.drain()
        writer.write_eof()


@asynccontextmanager
async def door(behind: int) -> AsyncIterator[Door]:
    one = Door(behind)
    await one.open()
    try:
        yield one
    finally:
        one.shut()
