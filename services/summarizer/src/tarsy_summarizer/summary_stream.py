"""Stream of a summary: chunks are published while the model writes."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from tarsy_bus.client.chunk_feed import ChunkFeed
from tarsy_bus.client.chunk_sender import ChunkSender
from tarsy_contracts.messages.chunks import SummaryChunk
from tarsy_contracts.messages.requests import SummaryRequest
from tarsy_masking.streaming import MaskedStream

TEXT = "text"
LAST_CHUNKS_SECONDS = 1.0
"""In an outage of Kafka a write takes 15 s: the time of the summary, with the answer of its model, would go by."""


class SummaryStream:
    """The chunks of one run. A chunk that Kafka does not take is left out: the final text replaces them all."""

    def __init__(self, sender: ChunkSender, request: SummaryRequest, stream: MaskedStream, *, run: int) -> None:
        self._sender = sender
        self._request = request
        self._stream = stream
        self._run = run
        self._feed = ChunkFeed(request.session_id, self._make_chunk)

    async def take(self, text: str) -> None:
        """Sends what no longer can become a secret."""
        await self._put_text(self._stream.take(text))

    async def finish(self) -> None:
        """Returns when all chunks are written, or left out: those that wait for long are."""
        with suppress(TimeoutError):
            async with asyncio.timeout(LAST_CHUNKS_SECONDS):
                await self._put_text(self._stream.rest())
                await self._sender.until_sent(self._feed)

    @contextmanager
    def running(self) -> Iterator[None]:
        """Forgets after the body what was not sent: the summary, or its failure, replaces it."""
        try:
            yield
        finally:
            self._sender.drop(self._feed)

    async def _put_text(self, text: str) -> None:
        if text:
            await self._sender.put(self._feed, TEXT, text)

    def _make_chunk(self, index: int, part: str, text: str) -> SummaryChunk:
        return SummaryChunk(
            call_id=self._request.call_id,
            execution_id=self._request.execution_id,
            run=self._run,
            index=index,
            text=text,
        )
