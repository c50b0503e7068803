"""Reading in results: pages of lines and searches, with bounds on what is held and looked at in one process."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager
from functools import partial

from tarsy_bus.client.connection import Bus
from tarsy_bus.readers.outage_retry import TimeLimit
from tarsy_contracts.messages.requests import LogPosition, ResultPlace
from tarsy_results.block_reader import BlockReader
from tarsy_results.blocks import Block
from tarsy_results.budget import ReadBudget
from tarsy_results.pages import ResultPage
from tarsy_results.position import TextPosition
from tarsy_results.search import ResultSearch
from tarsy_results.source import ResultSource, open_logged_source, open_source
from tarsy_results.spans import SpanFilter, TimeSpan

READS_AT_ONCE = 4
"""Each holds what one fetch brings."""
THREADS = 2
"""Threads of the shared pool that reading may use: others are left for other work."""


class ResultReader:
    """One for a process: its bounds are those of all reads together."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self._places = asyncio.Semaphore(READS_AT_ONCE)
        self._threads = asyncio.Semaphore(THREADS)

    def open(self, position: ResultPlace, limit: TimeLimit) -> AbstractAsyncContextManager[ResultSource]:
        """Raises as `open_source` does. Waits for its turn, for as long as the caller does."""
        return self._open_in_place(partial(open_source, self._bus, position, limit))

    def open_event(self, call_id: str, at: LogPosition, limit: TimeLimit) -> AbstractAsyncContextManager[ResultSource]:
        """The same for a caller that knows only where the event of the result lies."""
        return self._open_in_place(partial(open_logged_source, self._bus, call_id, at, limit))

    @asynccontextmanager
    async def _open_in_place(self, open_: Callable[[], Awaitable[ResultSource]]) -> AsyncIterator[ResultSource]:
        async with self._places:
            source = await open_()
            async with aclosing(source.pieces):
                yield source

    def begin(self, source: ResultSource, begin: TextPosition, span: TimeSpan | None, budget: ReadBudget) -> "Reading":
        return Reading(BlockReader(source, begin), self._threads, budget, _make_filter(span, begin))


def _make_filter(span: TimeSpan | None, begin: TextPosition) -> SpanFilter | None:
    """A reader that goes on in the middle of a text was inside of the span, as far as nothing says otherwise."""
    return None if span is None else SpanFilter(span, inside=begin > TextPosition(0))


class Reading:
    """One reading of a text, from a position on, of the lines of a span. Text is looked at in threads only."""

    def __init__(
        self, reader: BlockReader, threads: asyncio.Semaphore, budget: ReadBudget, chosen: SpanFilter | None
    ) -> None:
        self._reader = reader
        self._threads = threads
        self._filter = chosen
        self._has_begun = False
        self._reached = TextPosition(0)
        self.budget = budget

    @property
    def at(self) -> TextPosition:
        """Where it began: a line, or a text, may be shorter than the position that was asked for."""
        return self._reader.at

    @property
    def filter(self) -> SpanFilter | None:
        """Knows which stamps were met."""
        return self._filter

    async def into_page(self, page: ResultPage) -> None:
        await self._feed_blocks(page.take, lambda: page.full)
        if self.budget.is_spent:
            page.stop(self._reached)

    async def into_search(self, search: ResultSearch) -> None:
        """`search` has the budget of this reading."""
        await self._feed_blocks(search.take, lambda: False)
        async with self._threads:
            await asyncio.to_thread(search.finish)

    async def _feed_blocks(self, take: Callable[[Block], None], is_done: Callable[[], bool]) -> None:
        async with aclosing(self._reader.blocks()) as blocks:
            async for block in blocks:
                async with self._threads:
                    await asyncio.to_thread(self._take_parts, block, take)
                if self.budget.is_spent or is_done():
                    return
        await asyncio.to_thread(self._skip_before_once)

    def _take_parts(self, block: Block, take: Callable[[Block], None]) -> None:
        with self.budget.measured():
            for part in self._select_parts(block):
                take(part)
            self._reached = block.at.after(block.text)

    def _select_parts(self, block: Block) -> Sequence[Block]:
        if self._filter is None:
            return (block,)
        self._skip_before_once()
        return self._filter.select(block)

    def _skip_before_once(self) -> None:
        """Once, when the beginning was found; or at the end, when nothing lies behind it."""
        if self._filter is not None and not self._has_begun:
            self._filter.skip(self._reader.before)
        self._has_begun = True
