"""Page of lines of a result, as many as there is room for. Pure."""

from dataclasses import dataclass

from tarsy_results.blocks import Block
from tarsy_results.position import TextPosition
from tarsy_results.text import line_offset, truncate_at_line

ANSWER_BYTES = 48 * 1024
"""So that an answer fits into the log, and never has to be read on in itself."""


@dataclass(frozen=True, slots=True)
class TextRun:
    """Lines that follow one another; the first may begin, and the last end, within a very long line."""

    at: TextPosition
    text: bytes

    @property
    def end(self) -> TextPosition:
        return self.at.after(self.text)


class ResultPage:
    """Takes the blocks of a text until it is full. A gap between two blocks begins another run.

    `next` is where to read on; None when everything was taken.
    """

    def __init__(self, most_lines: int) -> None:
        self._lines_left = most_lines
        self._bytes_left = ANSWER_BYTES
        self.runs: list[TextRun] = []
        self.next: TextPosition | None = None

    @property
    def full(self) -> bool:
        return self.next is not None

    def take(self, block: Block) -> None:
        if self.full:
            return
        at, text = block.at.after(block.text[: block.before]), block.text[block.before :]
        kept = self._lines_that_fit(text)
        if kept:
            self._add_text(at, kept)
        if len(kept) < len(text):
            self.next = at.after(kept)

    def stop(self, reached: TextPosition) -> None:
        """Reading took too long."""
        self.next = self.next or reached

    def _lines_that_fit(self, text: bytes) -> bytes:
        """Whole lines; one that is too long for any page is cut itself."""
        lines = text[: line_offset(text, self._lines_left)]
        if len(lines) <= self._bytes_left:
            return lines
        whole = lines.rfind(b"\n", 0, self._bytes_left) + 1
        if whole or self.runs:
            return lines[:whole]
        return truncate_at_line(lines, self._bytes_left)

    def _add_text(self, at: TextPosition, text: bytes) -> None:
        self._lines_left -= text.count(b"\n")
        self._bytes_left -= len(text)
        if self.runs and self.runs[-1].end == at:
            last = self.runs.pop()
            at, text = last.at, last.text + text
        self.runs.append(TextRun(at, text))
