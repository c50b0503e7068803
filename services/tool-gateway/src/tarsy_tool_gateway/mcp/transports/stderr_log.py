"""Standard error of MCP servers, masked and bounded, in our own log."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TextIO

import structlog

log = structlog.get_logger(__name__)

READ_BYTES = 64 * 1024
GATHER_SECONDS = 0.2
"""Lines that are written together are masked together: a key of many lines is a secret only as a whole."""
MOST_BYTES = 64 * 1024
LOGGED_CHARACTERS = 8 * 1024


@asynccontextmanager
async def standard_error(server: str, mask: Callable[[str], str]) -> AsyncIterator[TextIO]:
    """A real file, as a program wants one. It outlives the server's restarts."""
    reading, writing = os.pipe()
    reader = asyncio.StreamReader(limit=READ_BYTES)
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(reading, "rb")
    )
    with os.fdopen(writing, "w", encoding="utf-8") as file:
        following = asyncio.create_task(_log_output(server, reader, mask), name=f"stderr of {server}")
        try:
            yield file
        finally:
            # Does not wait for the end of the pipe: a grandchild may hold it open for ever.
            following.cancel()
            await asyncio.wait([following])
            transport.close()


async def _log_output(server: str, reader: asyncio.StreamReader, mask: Callable[[str], str]) -> None:
    """Never stops reading, so that no server waits for us; what comes too fast is counted, not kept."""
    while first := await reader.read(READ_BYTES):
        gathered = bytearray(first)
        dropped = 0
        async for chunk in _read_for_a_moment(reader):
            capacity = MOST_BYTES - len(gathered)
            gathered += chunk[:capacity]
            dropped += max(0, len(chunk) - capacity)
        text = mask(gathered.decode(errors="replace"))
        log.info(
            "mcp_server.stderr",
            server=server,
            text=text[:LOGGED_CHARACTERS].rstrip(),
            left_out=max(0, len(text) - LOGGED_CHARACTERS) + dropped,
        )


async def _read_for_a_moment(reader: asyncio.StreamReader) -> AsyncIterator[bytes]:
    try:
        async with asyncio.timeout(GATHER_SECONDS):
            while chunk := await reader.read(READ_BYTES):
                yield chunk
    except TimeoutError:
        return
