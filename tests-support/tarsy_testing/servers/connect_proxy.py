"""A proxy at the edge of a company, and the internet behind it: one TLS server that answers in every host's name."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from tarsy_processes.ports import free_port
from tarsy_testing.servers.certificates import CompleteAuthority

HEAD = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n"


@dataclass
class Edge:
    """`connected`: what the proxy was asked to connect to. `reached`: HOST and target of each request behind it."""

    authority: Path
    port: int
    connected: list[str] = field(default_factory=list)
    reached: list[tuple[str, str]] = field(default_factory=list)

    @property
    def proxy(self) -> str:
        return f"http://ann:secret@127.0.0.1:{self.port}"


@asynccontextmanager
async def running_edge(folder: Path, *hosts: str, answered: bytes = b"{}") -> AsyncIterator[Edge]:
    """The authority has signed for `hosts`, and for no other. `answered`: what everybody gets."""
    authority = CompleteAuthority(folder, "company")
    signed = authority.sign("internet", hosts=hosts)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(signed.cert, signed.key)
    edge = Edge(authority.file, free_port())
    inner = free_port()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:])}
            await reader.readexactly(int(headers.get("content-length", "0")))
            edge.reached.append((headers["host"], head[0].split()[1]))
            writer.write(HEAD.format(len(answered)).encode() + answered)
            await writer.drain()
        writer.close()

    async def connect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            method, target, _ = head.split("\r\n")[0].split()
            if method != "CONNECT" or "proxy-authorization: basic " not in head.lower():
                writer.write(b"HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n")
                writer.close()
                return
            edge.connected.append(target)
            beyond, further = await asyncio.open_connection("127.0.0.1", inner)
            writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            await asyncio.gather(_pass_on(reader, further), _pass_on(beyond, writer))

    async with (
        await asyncio.start_server(answer, "127.0.0.1", inner, ssl=tls),
        await asyncio.start_server(connect, "127.0.0.1", edge.port),
    ):
        yield edge


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while chunk := await reader.read(1 << 16):
            writer.write(chunk)
            await writer.drain()
    writer.close()
