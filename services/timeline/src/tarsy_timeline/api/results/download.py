"""Download of a whole result: text, piece by piece, as fast as its reader takes it, and not for ever."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import structlog
from aiokafka.errors import KafkaError
from fastapi.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from tarsy_bus.readers.outage_retry import KafkaUnreachableError
from tarsy_results.source import ResultGoneError, ResultSource

log = structlog.get_logger(__name__)


class ResultDownload:
    """Owns `held`, and with it the source and its place, until it is closed."""

    def __init__(self, source: ResultSource, first: bytes, held: AsyncExitStack, seconds: float) -> None:
        self._source = source
        self._first = first
        self._held = held
        self.seconds = seconds
        self.size = source.size

    async def pieces(self) -> AsyncIterator[bytes]:
        yield self._first
        async for piece in self._source.pieces:
            yield piece
            # Pieces of one fetch come without a wait: others are let in, and it is noticed that the reader went away.
            await asyncio.sleep(0)

    async def close(self) -> None:
        await self._held.aclose()


class DownloadResponse(StreamingResponse):
    """The answer has its length: a reader notices when it ends early."""

    def __init__(self, download: ResultDownload, name: str) -> None:
        headers = {
            "content-length": str(download.size),
            "content-disposition": f'attachment; filename="{name}"',
            "x-content-type-options": "nosniff",
            "cache-control": "no-store",
        }
        super().__init__(download.pieces(), headers=headers, media_type="text/plain; charset=utf-8")
        self._download = download

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            async with asyncio.timeout(self._download.seconds):
                await super().__call__(scope, receive, send)
        except* (TimeoutError, ResultGoneError, KafkaUnreachableError, KafkaError) as problems:
            # The head is sent: all that is left is to end early.
            log.warning("result.download_ended", reason=[type(one).__name__ for one in problems.exceptions])
        finally:
            await self._download.close()
