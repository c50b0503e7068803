"""Bodies of httpx's responses, counted or shortened on their way to an SDK. Imports httpx2."""

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing

import httpx2

MOST_REFUSAL_BYTES = 256 * 1024

type Filter = Callable[[AsyncIterator[bytes]], AsyncGenerator[bytes]]


class FilteredBody(httpx2.AsyncByteStream):
    def __init__(self, body: httpx2.AsyncByteStream, through: Filter) -> None:
        self._body = body
        self._through = through

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async with aclosing(self._through(aiter(self._body))) as chunks:
            async for chunk in chunks:
                yield chunk

    async def aclose(self) -> None:
        await self._body.aclose()


def filter_body(response: httpx2.Response, through: Filter) -> None:
    """All that is read of the body afterwards has gone `through`."""
    if isinstance(response.stream, httpx2.AsyncByteStream):
        response.stream = FilteredBody(response.stream, through)


async def shorten_refusal(response: httpx2.Response) -> None:
    """SDKs read the body of a refusal whole, however long it is."""
    if not response.is_success:
        filter_body(response, _beginning)


async def drop_comments(chunks: AsyncIterator[bytes]) -> AsyncGenerator[bytes]:
    """Server-sent events without their comments, which Gemini's SDK takes for broken JSON."""
    begins, is_comment = True, False
    async for chunk in chunks:
        kept: list[bytes] = []
        for line in chunk.splitlines(keepends=True):
            is_comment = line.startswith(b":") if begins else is_comment
            begins = line.endswith((b"\n", b"\r"))
            kept += [] if is_comment else [line]
        yield b"".join(kept)


async def _beginning(chunks: AsyncIterator[bytes]) -> AsyncGenerator[bytes]:
    left = MOST_REFUSAL_BYTES
    async for chunk in chunks:
        yield chunk[:left]
        left -= len(chunk)
        if left <= 0:
            return
