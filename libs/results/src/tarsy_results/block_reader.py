"""Blocks of a result's text, from the position where reading begins."""

import asyncio
from collections.abc import AsyncGenerator

from tarsy_results.blocks import Block, Blocks
from tarsy_results.paging import PageStart
from tarsy_results.position import TextPosition
from tarsy_results.source import ResultSource


class BlockReader:
    """`at` is where reading began: it may lie before `begin`, whose line or text may be shorter."""

    def __init__(self, source: ResultSource, begin: TextPosition) -> None:
        self._source = source
        self._start = PageStart(begin)

    @property
    def at(self) -> TextPosition:
        return self._start.at

    @property
    def before(self) -> Block:
        """The end of what was skipped."""
        # It may begin within a line.
        return Block(self._start.before, TextPosition(0, 0 if self._start.before_is_whole else 1))

    async def blocks(self) -> AsyncGenerator[Block]:
        found: Blocks | None = None
        async for piece in self._source.pieces:
            rest = self._start.take(piece)
            if rest:
                found = found or Blocks(self.at)
                for block in found.take(rest):
                    yield block
            # Pieces of one fetch come without a wait: other tasks are let in between.
            await asyncio.sleep(0)
        for block in found.rest() if found is not None else ():
            yield block
