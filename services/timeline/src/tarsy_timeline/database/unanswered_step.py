"""The step of a connection to PostgreSQL that had no answer: name, connection, TLS or login."""

import asyncio
import struct
from urllib.parse import urlsplit

from tarsy_bus.client.reachability import STEP_SECONDS, find_unreachable_step

TLS_REQUEST = struct.pack("!II", 8, 80877103)
"""A server of PostgreSQL answers it with one byte, whether it has TLS or not."""


async def find_unanswered_step(url: str, *, seconds: float = STEP_SECONDS) -> str:
    """`url`: one that asyncpg took. `seconds`: how long each step may take."""
    parts = urlsplit(url)
    if not parts.hostname:
        return "login: the server's socket takes the connection, and nothing answers"
    host, port = parts.hostname, parts.port or 5432
    if step := await find_unreachable_step(host, port, seconds=seconds):
        return step
    if not await _answers_tls_request(host, port, seconds):
        return "TLS: the connection is taken, and nothing answers, as behind a proxy without a server"
    return "login: the server answers, and does not end the login"


async def _answers_tls_request(host: str, port: int, seconds: float) -> bool:
    try:
        async with asyncio.timeout(seconds):
            reader, writer = await asyncio.open_connection(host, port)
            try:
                writer.write(TLS_REQUEST)
                return bool(await reader.read(1))
            finally:
                writer.close()
    except OSError:
        return False
