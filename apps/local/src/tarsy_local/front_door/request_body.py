"""Streamed body of a request, and the moment in which its sender disconnects."""

import asyncio
from collections.abc import AsyncIterator

from starlette.types import Receive, Scope

from tarsy_local.errors import LocalError

BODY_LIMIT_BYTES = 16 * 1024 * 1024
"""More than any service takes: each has a limit of its own, and says so better."""


AHEAD_BYTES = 256 * 1024


class ClientGoneError(LocalError):
    """Nobody waits for the answer any longer. We have nothing to do."""


class BodyTooLargeError(LocalError):
    """More than BODY_LIMIT_BYTES. The caller sends less."""


class RequestBody:
    def __init__(self, scope: Scope, receive: Receive) -> None:
        headers = dict(scope["headers"])
        length = headers.get(b"content-length", b"0")
        self._declared = int(length) if length.isdigit() else 0
        self.expected = self._declared > 0 or b"transfer-encoding" in headers
        self._receive = receive
        self._ahead: list[bytes] = []
        self._size = 0
        self._whole = asyncio.Event()
        if not self.expected:
            self._whole.set()

    async def read_ahead(self) -> None:
        """All of a short body, the beginning of a long one: who sends slowly occupies no connection to an instance.

        Raises BodyTooLargeError or ClientGoneError.
        """
        if self._declared > BODY_LIMIT_BYTES:
            raise BodyTooLargeError
        while not self._whole.is_set() and self._size < AHEAD_BYTES:
            self._ahead.append(await self._next_piece())

    async def pieces(self) -> AsyncIterator[bytes]:
        """Can be read once. Raises BodyTooLargeError or ClientGoneError."""
        for piece in self._ahead:
            if piece:
                yield piece
        while not self._whole.is_set():
            if piece := await self._next_piece():
                yield piece

    async def _next_piece(self) -> bytes:
        message = await self._receive()
        if message["type"] == "http.disconnect":
            raise ClientGoneError
        piece: bytes = message.get("body", b"")
        self._size += len(piece)
        if self._size > BODY_LIMIT_BYTES:
            raise BodyTooLargeError
        if not message.get("more_body", False):
            self._whole.set()
        return piece

    async def wait_until_gone(self) -> None:
        """Returns when the client has gone after its whole request was read."""
        await self._whole.wait()
        while (await self._receive())["type"] != "http.disconnect":
            pass
