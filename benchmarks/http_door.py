"""HTTP/1.1 for the servers of the outside world, with as little work as can be: what is measured is TARSy, not them."""

import asyncio
from collections.abc import Callable
from typing import cast

type Answer = Callable[["Door", bytes], None]
"""Called with the connection and a request's body; it writes the response, now or later."""

JSON = "application/json"


class Door(asyncio.Protocol):
    """One connection. One request at a time: a client of HTTP/1.1 waits for its answer."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._held = b""
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def connection_lost(self, problem: Exception | None) -> None:
        self._transport = None

    def data_received(self, data: bytes) -> None:
        self._held += data
        end = self._held.find(b"\r\n\r\n")
        if end < 0:
            return
        length = _content_length(self._held[:end])
        if len(self._held) < end + 4 + length:
            return
        body, self._held = self._held[end + 4 : end + 4 + length], self._held[end + 4 + length :]
        self._answer(self, body)

    def write(self, data: bytes) -> None:
        if self._transport is not None:
            self._transport.write(data)


def whole(content: bytes, *, status: str = "200 OK", kind: str = JSON) -> bytes:
    return f"HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {len(content)}\r\n\r\n".encode() + content


def chunk(content: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(content), content)


async def serve(answer: Answer, port: int) -> None:
    """Until the process ends."""
    server = await asyncio.get_running_loop().create_server(
        lambda: Door(answer), "127.0.0.1", port, backlog=4096, reuse_address=True
    )
    await server.serve_forever()


def _content_length(head: bytes) -> int:
    for line in head.split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            return int(value)
    return 0
