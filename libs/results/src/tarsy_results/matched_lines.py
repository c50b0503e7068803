"""Count of the lines that match a search, also of those that are not shown, and when they were written. Pure."""

from tarsy_results.blocks import Block
from tarsy_results.line_stamps import stamp_at
from tarsy_results.pattern import SearchPattern
from tarsy_results.stamps import Stamp


class MatchedLines:
    """`first` and `last` are the numbers of such lines, once there is one.

    Blocks come in order. A line without a stamp has that of the last one before it, in its own block or the one before.
    """

    def __init__(self) -> None:
        self.count = 0
        self.first = -1
        self.last = -1
        self._earlier: Block | None = None
        self._around_first: tuple[Block | None, Block] | None = None
        self._around_last: tuple[Block | None, Block] | None = None

    def add(self, line: int, block: Block) -> None:
        """Lines come in their order, some of them several times."""
        if line <= self.last:
            return
        self._around_last = (self._earlier, block)
        if not self.count:
            self.first, self._around_first = line, self._around_last
        self.count += 1
        self.last = line

    def add_all(self, pattern: SearchPattern, block: Block) -> None:
        """A block that was looked at in part adds nothing twice."""
        text, line, start = block.text, block.at.line, 0
        while start < len(text) and (match := pattern.find(text, start)) is not None:
            if match.start == len(text) and text.endswith(b"\n"):
                # The end of the last line, which is no line of its own.
                return
            line += text.count(b"\n", start, match.start)
            self.add(line, block)
            end = text.find(b"\n", match.start)
            if end < 0:
                return
            line, start = line + 1, end + 1

    def leave(self, block: Block) -> None:
        """Nothing more is added of this block."""
        self._earlier = block

    def stamps(self) -> tuple[Stamp, Stamp] | None:
        """Those of the first and the last line; None where one has none. Takes milliseconds."""
        first = None if self._around_first is None else stamp_at(self.first, *self._around_first)
        last = None if self._around_last is None else stamp_at(self.last, *self._around_last)
        return (first, last) if first is not None and last is not None else None
