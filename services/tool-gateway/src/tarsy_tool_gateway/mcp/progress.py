"""Progress of running calls, published on the stream: masked, short, and not too often. The latest report counts."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Protocol

import structlog

from tarsy_bus.client.publisher import NotWrittenError, Publisher
from tarsy_contracts.messages import chunks
from tarsy_contracts.messages.requests import ToolCallRequest
from tarsy_contracts.wire.ids import derive_id

log = structlog.get_logger(__name__)

LEAST_PAUSE_SECONDS = 0.25
MOST_CHARACTERS = 300
MOST_MASKED_CHARACTERS = 10_000
"""A longer message is left out, and only the numbers are sent: cutting it before the mask could halve a secret."""


class ReportProgress(Protocol):
    async def __call__(self, progress: float, total: float | None, message: str | None) -> None: ...


class ProgressMetrics(Protocol):
    def count_progress(self, server: str) -> None: ...

    def count_dropped_progress(self, server: str) -> None: ...


class ProgressPublisher:
    """Publishes for the calls of all servers. `mask_of` a session's id is how its texts are masked."""

    def __init__(
        self,
        publisher: Publisher,
        *,
        mask_of: Callable[[str], Callable[[str], str]],
        now: Callable[[], datetime],
        metrics: ProgressMetrics,
    ) -> None:
        self._publisher = publisher
        self._mask_of = mask_of
        self._now = now
        self._metrics = metrics

    @asynccontextmanager
    async def of(self, request: ToolCallRequest) -> AsyncIterator[ReportProgress]:
        """For as long as the call runs. Progress that is unsent at its end is dropped: the outcome says it all."""
        run = chunks.number_run(request.releases, self._now())
        one = _CallProgress(self._publisher, request, self._mask_of, run, self._metrics)
        try:
            yield one.report
        finally:
            await one.stop()


class _CallProgress:
    def __init__(
        self,
        publisher: Publisher,
        request: ToolCallRequest,
        mask_of: Callable[[str], Callable[[str], str]],
        run: int,
        metrics: ProgressMetrics,
    ) -> None:
        self._publisher = publisher
        self._request = request
        self._mask_of = mask_of
        self._run = run
        self._metrics = metrics
        self._index = 0
        self._latest: str | None = None
        self._news = asyncio.Event()
        self._publishing: asyncio.Task[None] | None = None

    async def report(self, progress: float, total: float | None, message: str | None) -> None:
        if self._latest is not None:
            self._metrics.count_dropped_progress(self._request.server)
        self._latest = progress_text(progress, total, message)
        self._news.set()
        if self._publishing is None:
            # Most calls say nothing, and need no task.
            self._publishing = asyncio.create_task(
                self._publish_latest_for_ever(), name=f"progress of {self._request.call_id}"
            )

    async def stop(self) -> None:
        if self._publishing is not None:
            self._publishing.cancel()
            await asyncio.wait([self._publishing])
        if self._latest is not None:
            self._metrics.count_dropped_progress(self._request.server)

    async def _publish_latest_for_ever(self) -> None:
        mask = self._mask_of(self._request.session_id)
        while True:
            await self._news.wait()
            self._news.clear()
            text, self._latest = self._latest, None
            assert text is not None
            await self._write_chunk(mask(text)[:MOST_CHARACTERS])
            await asyncio.sleep(LEAST_PAUSE_SECONDS)

    async def _write_chunk(self, text: str) -> None:
        call_id, session_id = self._request.call_id, self._request.session_id
        chunk = chunks.Progress(call_id=call_id, run=self._run, index=self._index, text=text)
        self._index += 1
        id = derive_id("chunk", call_id, self._run, chunk.index)
        try:
            await self._publisher.publish(
                self._publisher.topics.stream, chunk, key=session_id, id=id, subject=session_id
            )
            self._metrics.count_progress(self._request.server)
        except NotWrittenError:
            log.warning("chunk.not_written", call_id=call_id, index=chunk.index)


def progress_text(progress: float, total: float | None, message: str | None) -> str:
    """`3 of 10: copying`, in one line."""
    numbers = f"{progress:g}" if total is None else f"{progress:g} of {total:g}"
    if message is None or len(message) > MOST_MASKED_CHARACTERS:
        return numbers
    return f"{numbers}: {' '.join(message.split())}".rstrip(": ")
