"""Search in a result: the first lines that match, with those around them, and how many there are. Pure."""

import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from tarsy_results.blocks import Block
from tarsy_results.matched_lines import MatchedLines
from tarsy_results.pages import ANSWER_BYTES
from tarsy_results.pattern import SearchPattern
from tarsy_results.position import TextPosition, read_arguments

MOST_MATCHES = 50
MOST_SECONDS = 10.0
"""CPU time. Only a hostile expression on a hostile text needs more."""
EXCERPT_BYTES = 800
CONTEXT_BYTES = 300
ROOM_BYTES = ANSWER_BYTES - 8 * 1024
"""The context of the last match may go beyond it."""
GAP = "--"


@dataclass(frozen=True, slots=True)
class TextLine:
    """Or a part of a very long one: `at` is where it begins. `before`: so much of it has been looked at already."""

    at: TextPosition
    text: bytes
    before: int = 0
    ends: bool = True


class ResultSearch:
    """Takes the blocks of a text. When `most_matches` are shown, it counts the lines that match further on."""

    def __init__(self, pattern: SearchPattern, *, context: int, most_matches: int = MOST_MATCHES) -> None:
        self._pattern = pattern
        self._context = context
        self._most_matches = most_matches
        self._matched = MatchedLines()
        self._before: deque[tuple[int, str]] = deque(maxlen=context)
        self._after = 0
        self._answer: list[str] = []
        self._size = 0
        self._last_added = -1
        self._matches = 0
        self._seconds = 0.0
        self._reached = TextPosition(0)

    @property
    def stopped(self) -> bool:
        """It has taken too long: further blocks are not wanted."""
        return self._seconds > MOST_SECONDS

    @property
    def _has_enough(self) -> bool:
        return self._matches >= self._most_matches or self._size > ROOM_BYTES

    def take(self, block: Block) -> None:
        began = time.thread_time()
        if not self._has_enough:
            self._show(block)
        if self._has_enough:
            self._matched.add_all(self._pattern, block)
        else:
            self._reached = block.at.after(block.text)
        self._seconds += time.thread_time() - began

    def answer(self, begin: TextPosition, lines: int) -> str:
        """With a first line that says what it is."""
        head = f"{self._found()} from {read_arguments(begin)} on; the result has {lines} lines (counted from 0)."
        return "\n".join([f"[{head}{self._span()}{self._rest()}]", *self._answer])

    def _found(self) -> str:
        at_least = "At least " if self.stopped else ""
        match self._matched.count:
            case 0:
                return "No line matches"
            case 1:
                return f"{at_least}1 line matches"
            case count:
                return f"{at_least}{count} lines match"

    def _span(self) -> str:
        return f" They lie between {self._matched.first} and {self._matched.last}." if self._matched.count > 1 else ""

    def _rest(self) -> str:
        stopped = " The search took too long and was stopped." if self.stopped else ""
        if not self.stopped and self._matched.last < self._reached.line:
            return ""
        shown = f" The first {self._matches} are shown." if self._has_enough and self._matches > 1 else ""
        return f"{stopped}{shown} To search on: {read_arguments(self._reached)}."

    def _show(self, block: Block) -> None:
        if self._after or self._pattern.find(block.text) is not None:
            self._look(_lines(block))
        else:
            for line in _last_lines(block, self._context):
                self._remember(line)

    def _look(self, lines: Iterator[TextLine]) -> None:
        for line in lines:
            if self._has_enough:
                return
            if not self._add_matches(line):
                self._pass(line)

    def _add_matches(self, line: TextLine) -> bool:
        """Adds each matching place of a long line, or the whole of any other line that matches."""
        added = False
        start = 0
        while not self._has_enough and (match := self._pattern.find(line.text, start)) is not None:
            start = max(match.end, match.start + 1)
            if line.before and match.end <= line.before:
                continue
            added = True
            excerpt, start = _excerpt(line, match.start, start)
            self._add_match(line.at.line, excerpt)
            self._reached = TextPosition(line.at.line, line.at.byte + start)
            if start >= len(line.text):
                break
        if added and line.ends and start >= len(line.text):
            self._reached = TextPosition(line.at.line + 1)
        return added

    def _add_match(self, number: int, excerpt: str) -> None:
        first = self._before[0][0] if self._before else number
        if self._answer and first > self._last_added + 1:
            self._add(self._last_added, GAP)
        for earlier, text in self._before:
            self._add(earlier, f"{earlier}- {text}")
        self._before.clear()
        self._add(number, f"{number}: {excerpt}")
        self._after = self._context
        self._matches += 1
        self._matched.add(number)

    def _pass(self, line: TextLine) -> None:
        if not self._after or line.at.byte:
            self._remember(line)
            return
        self._after -= 1
        self._add(line.at.line, f"{line.at.line}- {_clipped(line.text)}")

    def _remember(self, line: TextLine) -> None:
        """In case that the next one matches. The beginning of a very long line is enough."""
        if not line.at.byte:
            self._before.append((line.at.line, _clipped(line.text)))

    def _add(self, number: int, text: str) -> None:
        self._answer.append(text)
        self._size += len(text.encode()) + 1
        self._last_added = number


def _lines(block: Block) -> Iterator[TextLine]:
    at, start, before = block.at, 0, block.before
    while start < len(block.text):
        end = block.text.find(b"\n", start)
        ends = end >= 0 or not block.goes_on
        end = end if end >= 0 else len(block.text)
        yield TextLine(at, block.text[start:end], before, ends)
        at, start, before = TextPosition(at.line + 1), end + 1, 0


def _last_lines(block: Block, count: int) -> Iterator[TextLine]:
    text = block.text
    start = len(text) - text.endswith(b"\n")
    for _ in range(count):
        start = text.rfind(b"\n", 0, max(start, 0))
    skipped = text[: start + 1]
    rest = Block(text[start + 1 :], block.at.after(skipped), 0, block.goes_on)
    return _lines(rest) if count else iter(())


def _excerpt(line: TextLine, start: int, end: int) -> tuple[str, int]:
    """And where to look for the next one."""
    text = line.text
    if line.ends and not line.at.byte and len(text) <= EXCERPT_BYTES:
        return text.decode(errors="replace"), len(text)
    first = max(0, start - EXCERPT_BYTES // 4)
    last = min(len(text), first + EXCERPT_BYTES)
    shown = text[first:last].decode(errors="ignore")
    begins = line.at.byte + first
    more = "…" if last < len(text) or not line.ends else ""
    return f"(byte {begins}) {'…' if begins else ''}{shown}{more}", max(last, end)


def _clipped(text: bytes) -> str:
    if len(text) <= CONTEXT_BYTES:
        return text.decode(errors="replace")
    return text[:CONTEXT_BYTES].decode(errors="ignore") + "…"
