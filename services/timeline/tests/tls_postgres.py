"""TLS before a PostgreSQL that has none, as the embedded one: what a client of it sees is PostgreSQL with TLS."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from urllib.parse import urlsplit, urlunsplit

from tarsy_processes.ports import free_port
from tarsy_testing.servers.certificates import Authority, Certificate

HOST = "127.0.0.1"
TLS_PLEASE = bytes.fromhex("0000000804d2162f")
CHUNK = 64 * 1024


def server_context(own: Certificate, clients: Authority | None = None) -> ssl.SSLContext:
    """With `clients`, clients need a certificate of that authority."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(own.both)
    if clients is not None:
        context.load_verify_locations(clients.file)
        context.verify_mode = ssl.CERT_REQUIRED
    return context


@asynccontextmanager
async def tls_before(url: str, context: ssl.SSLContext | None) -> AsyncIterator[str]:
    """The URL of the same database behind TLS; without a context the answer is that there is none."""
    parts = urlsplit(url)
    login, _, _ = parts.netloc.rpartition("@")
    port = free_port()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError):
            assert await reader.readexactly(len(TLS_PLEASE)) == TLS_PLEASE
            writer.write(b"N" if context is None else b"S")
            if context is not None:
                await writer.start_tls(context)
            inner_reader, inner_writer = await asyncio.open_connection(parts.hostname, parts.port)
            await asyncio.gather(_pass_on(reader, inner_writer), _pass_on(inner_reader, writer))
        writer.close()

    async with await asyncio.start_server(serve, HOST, port):
        yield urlunsplit(parts._replace(netloc=f"{login}@{HOST}:{port}"))


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(CHUNK):
            writer.write(data)
            await writer.drain()
    writer.close()
