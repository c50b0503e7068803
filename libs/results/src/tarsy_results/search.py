"""Search in a result: the first lines that match, with those around them, and how many there are. Pure."""

from collections import deque
from collections.abc import Iterator

from tarsy_results.blocks import Block
from tarsy_results.budget import ReadBudget
from tarsy_results.matched_lines import MatchedLines
from tarsy_results.pages import ANSWER_BYTES
from tarsy_results.pattern import SearchPattern
from tarsy_results.position import TextPosition
from tarsy_results.shown_lines import ShownLine, TextLine, around, last_lines_of, lines_of, show_match
from tarsy_results.stamps import Stamp

MOST_MATCHES = 50
ROOM_BYTES = ANSWER_BYTES - 8 * 1024
"""The context of the last match may go beyond it."""
LINE_OVERHEAD_BYTES = 12
"""For the number of a line."""


class ResultSearch:
    """Takes the blocks of a text. When `most_matches` are shown, it counts the lines that match further on.

    When the budget is spent, further blocks are not wanted.
    """

    def __init__(
        self, pattern: SearchPattern, budget: ReadBudget, *, context: int, most_matches: int = MOST_MATCHES
    ) -> None:
        self._pattern = pattern
        self.budget = budget
        self._context = context
        self._most_matches = most_matches
        self._before: deque[ShownLine] = deque(maxlen=context)
        self._after = 0
        self._size = 0
        self._reached = TextPosition(0)
        self._end = TextPosition(0)
        self.matched = MatchedLines()
        self.lines: list[ShownLine] = []
        self.shown = 0
        self.times: tuple[Stamp, Stamp] | None = None

    @property
    def stopped(self) -> bool:
        return self.budget.is_spent

    @property
    def has_enough(self) -> bool:
        return self.shown >= self._most_matches or self._size > ROOM_BYTES

    @property
    def next(self) -> TextPosition | None:
        """Where to search on; None when all that match are shown."""
        return self._reached if self.stopped or self.matched.last >= self._reached.line else None

    def take(self, block: Block) -> None:
        if block.at > self._end:
            # Lines between were not chosen: those before them are no neighbours of those behind.
            self._before.clear()
            self._after = 0
        self._end = block.at.after(block.text)
        if not self.has_enough:
            self._search_block(block)
        if self.has_enough:
            self.matched.add_all(self._pattern, block)
        else:
            self._reached = block.at.after(block.text)
        self.matched.leave(block)

    def finish(self) -> None:
        """When there are no more blocks. `times`: when the first and the last line that matches were written."""
        self.times = self.matched.stamps()

    def _search_block(self, block: Block) -> None:
        if self._after or self._pattern.find(block.text) is not None:
            self._search_lines(block)
        else:
            for line in last_lines_of(block, self._context):
                self._remember_line(line)

    def _search_lines(self, block: Block) -> None:
        for line in lines_of(block):
            if self.has_enough:
                return
            added = False
            for match in self._find_matches(line):
                added = True
                self._add_match(match, block)
            if not added:
                self._pass_line(line)

    def _find_matches(self, line: TextLine) -> Iterator[ShownLine]:
        """Each matching place of a long line, or the whole of any other line that matches."""
        start, found = 0, False
        while not self.has_enough and (match := self._pattern.find(line.text, start)) is not None:
            start = max(match.end, match.start + 1)
            if line.before and match.end <= line.before:
                continue
            found = True
            shown, start = show_match(line, match.start, start)
            self._reached = TextPosition(line.at.line, line.at.byte + start)
            yield shown
            if start >= len(line.text):
                break
        if found and line.ends and start >= len(line.text):
            self._reached = TextPosition(line.at.line + 1)

    def _add_match(self, match: ShownLine, block: Block) -> None:
        for earlier in self._before:
            self._add_line(earlier)
        self._before.clear()
        self._add_line(match)
        self._after = self._context
        self.shown += 1
        self.matched.add(match.at.line, block)

    def _pass_line(self, line: TextLine) -> None:
        if not self._after or line.at.byte:
            self._remember_line(line)
            return
        self._after -= 1
        self._add_line(around(line))

    def _remember_line(self, line: TextLine) -> None:
        """In case that the next one matches. The beginning of a very long line is enough."""
        if not line.at.byte:
            self._before.append(around(line))

    def _add_line(self, line: ShownLine) -> None:
        self.lines.append(line)
        self._size += len(line.text.encode()) + LINE_OVERHEAD_BYTES
