"""Batched publishing of chunks, in rounds for all calls that stream in a process: one batch for each partition.

Text gathers for some milliseconds after a round began; then each call has one record. A round does not wait for the
acknowledgement of the one before, but for its batches to be on their way.
"""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Sequence
from contextlib import aclosing

import structlog

from tarsy_bus.client.fetch_progress import ignore_step
from tarsy_bus.client.publisher import Addressed, Publisher
from tarsy_bus.errors import BusError
from tarsy_bus.pacing import Pacer
from tarsy_bus.tracing import current_traceparent
from tarsy_contracts.messages.chunks import LlmChunk, SummaryChunk
from tarsy_contracts.wire.ids import derive_id

log = structlog.get_logger(__name__)

LEAST_INTERVAL_SECONDS, LONGEST_INTERVAL_SECONDS = 0.005, 0.05
"""Between the beginnings of two rounds. Half of it is what a word waits for here."""
INTERVAL_SHARE = 2
"""The interval is so many times what the last round took: many calls, or a busy machine, have fewer that carry more."""
MOST_UNSENT = 256 * 1024
"""Characters of all calls. Models that are faster than Kafka wait for it here."""
MOST_MASKED = 4 * 1024
"""Characters that are masked at once: a millisecond or so. Others have their turn before the next."""

type Part = str
type MakeChunk = Callable[[int, Part, str], LlmChunk | SummaryChunk]
type MaskText = Callable[[Part, str], Iterable[tuple[Part, str]]]


def pass_masked(part: Part, text: str) -> Iterable[tuple[Part, str]]:
    """For text that is masked before it is put."""
    return ((part, text),)


class ChunkFeed:
    """Chunks of one run of a call, numbered in the order in which they are written."""

    def __init__(self, session_id: str, make: MakeChunk, mask: MaskText = pass_masked) -> None:
        """`mask` gets all text that has gathered, when it is sent: one look at several tokens, and none at those that
        are dropped. It does not raise."""
        self.session_id = session_id
        self.traceparent: str | None = None
        self._make = make
        self._mask = mask
        self._texts: list[tuple[Part, list[str]]] = []
        self._index = 0

    def add(self, part: Part, text: str) -> None:
        if not self._texts or self._texts[-1][0] != part:
            self._texts.append((part, []))
        self._texts[-1][1].append(text)

    async def drain(self) -> AsyncGenerator[LlmChunk | SummaryChunk]:
        texts, self._texts = self._texts, []
        for part, pieces in texts:
            text = "".join(pieces)
            for begin in range(0, len(text), MOST_MASKED):
                if begin:
                    await asyncio.sleep(0)
                for masked_part, masked in self._mask(part, text[begin : begin + MOST_MASKED]):
                    if masked:
                        yield self._make(self._index, masked_part, masked)
                        self._index += 1

    def size(self) -> int:
        return sum(len(piece) for _, pieces in self._texts for piece in pieces)


class ChunkSender:
    """Chunks are only to look at: one that cannot be written is left out, and the final text replaces it."""

    def __init__(
        self,
        publisher: Publisher,
        monotonic: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._publisher = publisher
        self._monotonic = monotonic
        self._sleep = sleep
        self._waiting: dict[ChunkFeed, None] = {}
        self._sending: Counter[ChunkFeed] = Counter()
        self._size = 0
        self._filled, self._room, self._sent = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def put(self, feed: ChunkFeed, part: Part, text: str) -> None:
        """Returns when there is room for it, mostly at once."""
        while self._size >= MOST_UNSENT:
            self._room.clear()
            await self._room.wait()
        feed.add(part, text)
        feed.traceparent = current_traceparent()
        self._waiting[feed] = None
        self._size += len(text)
        self._filled.set()

    async def until_sent(self, feed: ChunkFeed) -> None:
        """Returns when nothing of the feed waits or is on its way."""
        while feed in self._waiting or feed in self._sending:
            self._sent.clear()
            await self._sent.wait()

    def drop(self, feed: ChunkFeed) -> None:
        """Forgets what waits: the final text is there."""
        if feed in self._waiting:
            self._size -= feed.size()
            del self._waiting[feed]
            self._room.set()

    async def run(self, heartbeat: Callable[[], None] = ignore_step) -> None:
        """Sends until it is cancelled."""
        next_at = self._monotonic()
        async with asyncio.TaskGroup() as acknowledged:
            while True:
                heartbeat()
                await self._filled.wait()
                pause = next_at - self._monotonic()
                if pause > 0:
                    await self._sleep(pause)
                began = self._monotonic()
                feeds, written = await self._begin_round()
                acknowledged.create_task(self._end_round(feeds, written))
                next_at = began + _next_interval(self._monotonic() - began)

    async def _begin_round(self) -> tuple[Sequence[ChunkFeed], Awaitable[list[BusError]]]:
        """Returns when Kafka's client has taken what had gathered: the next round need not wait for its answer."""
        feeds = tuple(self._waiting)
        self._sending.update(feeds)
        self._waiting.clear()
        self._filled.clear()
        self._size = 0
        self._room.set()
        pacer = Pacer(self._monotonic)
        messages: list[Addressed] = []
        for feed in feeds:
            messages += await _drain_feed(feed)
            await pacer.let_others_run()
        return feeds, await self._publisher.begin_batches(self._publisher.topics.stream, messages)

    async def _end_round(self, feeds: Sequence[ChunkFeed], written: Awaitable[list[BusError]]) -> None:
        for problem in await written:
            log.warning("chunks.not_written", reason=str(problem))
        self._sending.subtract(feeds)
        self._sending = +self._sending
        self._sent.set()


async def _drain_feed(feed: ChunkFeed) -> list[Addressed]:
    """One record for each part of the text that has gathered. One call's mistake is not that of the others."""
    found: list[Addressed] = []
    try:
        async with aclosing(feed.drain()) as chunks:
            async for chunk in chunks:
                id = derive_id("chunk", chunk.call_id, chunk.run, chunk.index)
                found.append(Addressed(chunk, feed.session_id, id, feed.traceparent))
    except Exception as problem:  # noqa: BLE001 - whatever it is
        log.error("chunk.broke", session_id=feed.session_id, problem=type(problem).__name__)
    return found


def _next_interval(took: float) -> float:
    return min(max(INTERVAL_SHARE * took, LEAST_INTERVAL_SECONDS), LONGEST_INTERVAL_SECONDS)
