"""Blocks of a text, to be searched one by one: whole lines, or parts of one that is very long. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass

from tarsy_results.position import TextPosition
from tarsy_results.text import character_start

BLOCK_BYTES = 64 * 1024
OVERLAP_BYTES = 1024
"""Two parts of a line overlap, so that a match that lies across is found."""


@dataclass(frozen=True, slots=True)
class Block:
    """`text` begins at `at`. `before`: so much of it was in the block before, and is there again for what overlaps.

    `goes_on`: its last line does, in the next block.
    """

    text: bytes
    at: TextPosition
    before: int = 0
    goes_on: bool = False


class Blocks:
    def __init__(self, at: TextPosition) -> None:
        self._at = at
        self._before = 0
        self._held = b""

    def take(self, piece: bytes) -> Iterator[Block]:
        self._held += piece
        while len(self._held) > BLOCK_BYTES:
            end = self._held.rfind(b"\n", 0, BLOCK_BYTES) + 1
            yield self._take_lines(end) if end else self._take_part_of_line()

    def rest(self) -> Iterator[Block]:
        """When there are no more pieces."""
        if self._held:
            yield self._take_lines(len(self._held))

    def _take_lines(self, end: int) -> Block:
        block = Block(self._held[:end], self._at, self._before)
        self._held = self._held[end:]
        self._at, self._before = self._at.after(block.text), 0
        return block

    def _take_part_of_line(self) -> Block:
        end = character_start(self._held, BLOCK_BYTES)
        again = character_start(self._held, end - OVERLAP_BYTES)
        block = Block(self._held[:end], self._at, self._before, goes_on=True)
        self._at = self._at.after(self._held[:again])
        self._held, self._before = self._held[again:], end - again
        return block
