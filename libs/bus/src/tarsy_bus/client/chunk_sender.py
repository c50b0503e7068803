"""Batched publishing of chunks, in rounds for all calls that stream in a process: one batch for each partition.

Text gathers for some milliseconds after a round began; then each call has one record. A round does not wait for the
acknowledgement of the one before, but for its batches to be on their way.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing, suppress

import structlog

from tarsy_bus.client.chunk_feed import ChunkFeed, Part
from tarsy_bus.client.fetch_progress import ignore_step
from tarsy_bus.client.publisher import Addressed, Publisher
from tarsy_bus.errors import BusError
from tarsy_bus.pacing import Pacer
from tarsy_bus.tracing import current_traceparent
from tarsy_contracts.messages.chunks import SO_FAR_SECONDS
from tarsy_contracts.wire.ids import derive_id

log = structlog.get_logger(__name__)

LEAST_INTERVAL_SECONDS, LONGEST_INTERVAL_SECONDS = 0.005, 0.05
"""Between the beginnings of two rounds. Half of it is what a word waits for here."""
INTERVAL_SHARE = 4
"""The interval is so many times what the last round took: many calls, or a busy machine, have fewer that carry more."""
MOST_UNSENT = 256 * 1024
"""Characters of all calls. Models that are faster than Kafka wait for it here."""


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
        self._so_far_at: dict[ChunkFeed, float] = {}
        """When each running call tells next all that it has said."""
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
        self._so_far_at.setdefault(feed, self._monotonic() + SO_FAR_SECONDS)
        self._size += len(text)
        self._filled.set()

    async def until_sent(self, feed: ChunkFeed) -> None:
        """Returns when nothing of the feed waits or is on its way."""
        while feed in self._waiting or feed in self._sending:
            self._sent.clear()
            await self._sent.wait()

    def drop(self, feed: ChunkFeed) -> None:
        """Forgets what waits, and the feed: the final text is there."""
        self._so_far_at.pop(feed, None)
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
                await self._wait_for_work()
                pause = next_at - self._monotonic()
                if pause > 0:
                    await self._sleep(pause)
                began = self._monotonic()
                feeds, written = await self._begin_round()
                acknowledged.create_task(self._end_round(feeds, written))
                next_at = began + _next_interval(self._monotonic() - began)

    async def _wait_for_work(self) -> None:
        """Until text has gathered, or a call has to tell all that it has said."""
        due = min(self._so_far_at.values(), default=None)
        with suppress(TimeoutError):
            async with asyncio.timeout(None if due is None else max(0.0, due - self._monotonic())):
                await self._filled.wait()

    async def _begin_round(self) -> tuple[Sequence[ChunkFeed], Awaitable[list[BusError]]]:
        """Returns when Kafka's client has taken what had gathered: the next round need not wait for its answer."""
        due = self._take_due()
        feeds = tuple(self._waiting | dict.fromkeys(due))
        self._sending.update(feeds)
        self._waiting.clear()
        self._filled.clear()
        self._size = 0
        self._room.set()
        pacer = Pacer(self._monotonic)
        messages: list[Addressed] = []
        for feed in feeds:
            messages += await _drain_feed(feed, so_far=feed in due)
            await pacer.let_others_run()
        return feeds, await self._try_to_begin(messages)

    async def _try_to_begin(self, messages: Sequence[Addressed]) -> Awaitable[list[BusError]]:
        try:
            return await self._publisher.begin_batches(self._publisher.topics.stream, messages)
        except Exception as problem:  # noqa: BLE001 - whatever it is: chunks are only to look at
            log.error("chunks.broke", problem=type(problem).__name__)
            return _nothing_to_wait_for()

    def _take_due(self) -> set[ChunkFeed]:
        """Running calls that tell now all that they have said."""
        now = self._monotonic()
        due = {feed for feed, at in self._so_far_at.items() if at <= now}
        self._so_far_at |= dict.fromkeys(due, now + SO_FAR_SECONDS)
        return due

    async def _end_round(self, feeds: Sequence[ChunkFeed], written: Awaitable[list[BusError]]) -> None:
        for problem in await written:
            log.warning("chunks.not_written", reason=str(problem))
        self._sending.subtract(feeds)
        self._sending = +self._sending
        self._sent.set()


async def _nothing_to_wait_for() -> list[BusError]:
    return []


async def _drain_feed(feed: ChunkFeed, *, so_far: bool) -> list[Addressed]:
    """One record for each part of the text that has gathered, and one for all that was said where `so_far` wants it.

    One call's mistake is not that of the others.
    """
    found: list[Addressed] = []
    try:
        async with aclosing(feed.drain()) as chunks:
            async for chunk in chunks:
                id = derive_id("chunk", chunk.call_id, chunk.run, chunk.index)
                found.append(Addressed(chunk, feed.session_id, id, feed.traceparent))
        if so_far and (told := feed.text_so_far()) is not None:
            id = derive_id("so_far", told.call_id, told.run, told.index)
            found.append(Addressed(told, feed.session_id, id, feed.traceparent))
    except Exception as problem:  # noqa: BLE001 - whatever it is
        log.error("chunk.broke", session_id=feed.session_id, problem=type(problem).__name__)
    return found


def _next_interval(took: float) -> float:
    return min(max(INTERVAL_SHARE * took, LEAST_INTERVAL_SECONDS), LONGEST_INTERVAL_SECONDS)
