"""A provider's HTTP server for tests: real sockets and bytes as a script says, one reply a request."""

import asyncio
import json
import ssl
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from pydantic import JsonValue

HEAD_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class Pause:
    """Nothing is sent for so long."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Silence:
    """Nothing is sent any more; the connection stays open until the client closes it."""


@dataclass(frozen=True, slots=True)
class Cut:
    """The connection is reset, in the middle of whatever was sent."""


type Step = bytes | Pause | Silence | Cut


@dataclass(frozen=True, slots=True)
class Reply:
    """The body is sent in chunks (`Transfer-Encoding: chunked`), one for each bytes step."""

    steps: Sequence[Step]
    status: int = 200
    content_type: str = "text/event-stream"
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Asked:
    method: str
    target: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> JsonValue:
        found: JsonValue = json.loads(self.body)
        return found


type Scripted = Reply | Callable[[Asked], Reply]
"""A reply, or one that depends on the request."""


class ProviderServer:
    """Answers the first request with the first reply, and so on; one too many gets 500. `asked` holds what came.

    `left` is set whenever a client has gone while a reply was still being sent to it.
    """

    def __init__(self, replies: Sequence[Scripted], tls: ssl.SSLContext | None = None) -> None:
        self._replies = list(replies)
        self._tls = tls
        self.asked: list[Asked] = []
        self.left = asyncio.Event()
        self.port = 0

    @property
    def url(self) -> str:
        return f"{'https' if self._tls else 'http'}://127.0.0.1:{self.port}"

    @asynccontextmanager
    async def running(self) -> AsyncIterator["ProviderServer"]:
        server = await asyncio.start_server(self._client, "127.0.0.1", 0, limit=HEAD_BYTES, ssl=self._tls)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            server.close()
            server.close_clients()
            await server.wait_closed()

    async def _client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            while await self._one(reader, writer):
                pass
        writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, target, _ = head[0].split(" ")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        self.asked.append(Asked(method, target, headers, body))
        nothing_left = Reply([b'{"error": {"message": "the test has no reply left"}}'], 500, "application/json")
        reply = self._replies.pop(0) if self._replies else nothing_left
        return await self._send(reply if isinstance(reply, Reply) else reply(self.asked[-1]), reader, writer)

    async def _send(self, reply: Reply, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = {"Content-Type": reply.content_type, "Transfer-Encoding": "chunked", **reply.headers}
        lines = [f"HTTP/1.1 {reply.status} Said", *(f"{name}: {value}" for name, value in head.items())]
        writer.write("\r\n".join([*lines, "", ""]).encode("latin-1"))
        gone = asyncio.create_task(reader.read(1))
        try:
            for step in reply.steps:
                if not await self._step(step, writer, gone):
                    return False
            writer.write(b"0\r\n\r\n")
            await writer.drain()
        finally:
            gone.cancel()
            await asyncio.wait([gone])
        return True

    async def _step(self, step: Step, writer: asyncio.StreamWriter, gone: "asyncio.Task[bytes]") -> bool:
        match step:
            case bytes():
                writer.write(f"{len(step):x}\r\n".encode() + step + b"\r\n")
                await writer.drain()
                return True
            case Cut():
                writer.transport.abort()
                return False
            case Pause(seconds):
                await asyncio.wait([gone], timeout=seconds)
            case Silence():
                await asyncio.wait([gone])
        if gone.done():
            self.left.set()
        return not gone.done()


def sse(*events: JsonValue, done: bool = False) -> list[bytes]:
    """Server-sent events with JSON data, one bytes step each; `done` adds OpenAI's last line."""
    steps = [f"data: {json.dumps(event)}\n\n".encode() for event in events]
    return [*steps, b"data: [DONE]\n\n"] if done else steps


def named_sse(*events: tuple[str, JsonValue]) -> list[bytes]:
    """Server-sent events with a name, as Anthropic sends them."""
    return [f"event: {name}\ndata: {json.dumps(data)}\n\n".encode() for name, data in events]


@asynccontextmanager
async def without_tls() -> AsyncIterator[str]:
    """A server that answers in plain text, at an address that says https."""

    async def client(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            await reader.read(1)
            writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            await writer.drain()
        writer.close()

    server = await asyncio.start_server(client, "127.0.0.1", 0)
    async with server:
        yield f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}"
