"""A text as a reader of results meets it, without Kafka."""

from collections.abc import Iterator

from tarsy_results.blocks import Block, Blocks
from tarsy_results.paging import PageStart
from tarsy_results.position import TextPosition
from tarsy_results.text import split


def blocks_of(data: bytes, begin: TextPosition, piece: int) -> Iterator[Block]:
    start, blocks = PageStart(begin), None
    for one in split(data, piece):
        rest = start.take(one)
        if rest:
            blocks = blocks or Blocks(start.at)
            yield from blocks.take(rest)
    yield from blocks.rest() if blocks is not None else ()
