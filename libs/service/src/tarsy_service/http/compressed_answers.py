"""Compression of JSON answers of the public API: a list of 100 sessions has 140 kB, and a tenth of it compressed.

Starlette's GZipMiddleware compresses streams and every type, and sends gzip to who refuses it (`gzip;q=0`).
"""

import gzip

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tarsy_service.http.accepted_encodings import best_encoding

PUBLIC = "/api/"
"""Answers between services do not leave the cluster, and stay as they are."""
JSON = ("application/json", "application/problem+json")
FEWEST_BYTES = 2_000
MOST_BYTES = 2_000_000
"""Longer ones would hold the event loop for too long."""
LEVEL = 1


class CompressedAnswers:
    """An ASGI middleware. An answer in pieces, one that streams, and one that is compressed stay as they are."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"].startswith(PUBLIC) and _takes_gzip(scope):
            await self._app(scope, receive, Compressing(send).send)
        else:
            await self._app(scope, receive, send)


class Compressing:
    """One answer. Its beginning waits for the first part of its body."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._start: Message | None = None

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._start = message
            return
        if self._start is not None:
            start, self._start = self._start, None
            message = _compress_body(start, message)
            await self._send(start)
        await self._send(message)


def _takes_gzip(scope: Scope) -> bool:
    accepted = next((value for name, value in scope["headers"] if name == b"accept-encoding"), b"")
    return accepted != b"" and best_encoding(accepted.decode("latin-1"), ("gzip",)) is not None


def _compress_body(start: Message, message: Message) -> Message:
    """The body, compressed where it is worth it; the headers of `start` say so then."""
    headers, body = MutableHeaders(raw=list(start["headers"])), message.get("body", b"")
    media_type = headers.get("content-type", "").partition(";")[0]
    fits = FEWEST_BYTES <= len(body) <= MOST_BYTES and not message.get("more_body", False)
    if not fits or media_type not in JSON or "content-encoding" in headers:
        return message
    body = gzip.compress(body, compresslevel=LEVEL, mtime=0)
    headers["content-encoding"] = "gzip"
    headers["content-length"] = str(len(body))
    headers.add_vary_header("Accept-Encoding")
    start["headers"] = headers.raw
    return {**message, "body": body}
