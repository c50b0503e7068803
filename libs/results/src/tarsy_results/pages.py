"""Page of lines of a result, as many as there is room for. Pure."""

from tarsy_results.paging import PageStart
from tarsy_results.position import TextPosition, read_arguments
from tarsy_results.text import truncate_at_line

ANSWER_BYTES = 48 * 1024
"""So that an answer fits into the log, and never has to be read on in itself."""


class ResultPage:
    """Takes the pieces of a text until it has enough."""

    def __init__(self, begin: TextPosition, most_lines: int) -> None:
        self._skip = PageStart(begin)
        self._most_lines = most_lines
        self._held = b""

    @property
    def full(self) -> bool:
        return len(self._held) > ANSWER_BYTES or self._held.count(b"\n") >= self._most_lines

    def take(self, piece: bytes) -> None:
        self._held += self._skip.take(piece)

    def answer(self, lines: int, size: int) -> str:
        """With a first line that says what it is, of a text with so many lines and bytes."""
        text = self._text()
        begin = self._skip.at
        end = begin.after(text)
        if not text:
            return f"[There is nothing at {read_arguments(begin)} or behind it: the result has {lines} lines.]"
        last = end.line if end.byte else end.line - 1
        of = f"of {lines} (counted from 0; {size} bytes in all)"
        if begin.line == last:
            what = f"Line {last} {of}" + (f", from byte {begin.byte} on" if begin.byte else "")
        else:
            what = f"Lines {begin.line} to {last} {of}"
        more = "This is the end." if self._is_end(text, end, lines) else f"To read on: {read_arguments(end)}."
        return f"[{what}. {more}]\n{text.decode(errors='replace')}"

    def _text(self) -> bytes:
        """Whole lines; a single one that is too long is cut itself."""
        end = -1
        for _ in range(self._most_lines):
            found = self._held.find(b"\n", end + 1)
            if found < 0:
                return self._cut(self._held)
            end = found
        return self._cut(self._held[: end + 1])

    def _cut(self, text: bytes) -> bytes:
        if len(text) <= ANSWER_BYTES:
            return text
        whole = text.rfind(b"\n", 0, ANSWER_BYTES) + 1
        return text[:whole] if whole else truncate_at_line(text, ANSWER_BYTES)

    def _is_end(self, text: bytes, end: TextPosition, lines: int) -> bool:
        return len(text) == len(self._held) and end.line >= lines - (end.byte > 0)
