"""Flowing text: comes in pieces, is broken into lines between words."""

import re

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

PIECES = re.compile(r"\n|[^\S\n]+|\S+")
BULLET = re.compile(r"[-*•]|\d{1,3}[.)]")
WRAPPED_BY_ITS_WRITER = 80
"""A line of so many columns goes on in the next one, unless that begins something of its own."""


class TextFlow:
    """Holds back the word that is not whole yet. Only a terminal has an end of the line: a file gets it as it is."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._width = console.width if console.is_terminal else None
        self._word = ""
        self._gap = ""
        self._column = 0
        self._written = 0
        self._indent = 0
        self._at_start = True
        self._may_go_on = False

    def write(self, text: str, style: str) -> None:
        pieces = PIECES.findall(self._word + text)
        self._word = pieces.pop() if pieces and not pieces[-1].isspace() else ""
        for piece in pieces:
            self._write_piece(piece, style)

    def end(self, style: str) -> None:
        """Writes the last word, and ends the line if there is anything on it."""
        self._write_piece(self._word, style)
        self._word = ""
        if self._column:
            self._console.print()
        self._start_line()

    def _write_piece(self, piece: str, style: str) -> None:
        if piece == "\n":
            self._end_of_line()
        elif piece.isspace():
            self._gap += piece.expandtabs(4)
        elif piece:
            if self._may_go_on:
                self._go_on(piece)
            self._whole_word(piece, style)

    def _end_of_line(self) -> None:
        if not self._may_go_on and self._width is not None and self._written >= WRAPPED_BY_ITS_WRITER:
            self._may_go_on, self._gap = True, ""
            return
        if self._may_go_on:
            self._console.print()
        self._console.print()
        self._start_line()

    def _go_on(self, word: str) -> None:
        self._may_go_on, self._written = False, 0
        if (word[0].isalnum() or word[0] in "(\"'") and not BULLET.fullmatch(word):
            self._gap = " "
            return
        gap = self._gap
        self._console.print()
        self._start_line()
        self._gap = gap

    def _whole_word(self, word: str, style: str) -> None:
        size = cell_len(word)
        if self._at_start:
            self._indent = len(self._gap) + (size + 1 if BULLET.fullmatch(word) else 0)
            self._at_start = False
        if self._width is not None and self._column and self._column + len(self._gap) + size > self._width:
            self._console.print()
            self._column, self._gap = 0, " " * min(self._indent, self._width // 3)
        self._console.print(Text(self._gap + word, style=style), end="", soft_wrap=True)
        self._column += len(self._gap) + size
        self._written += len(self._gap) + size
        self._gap = ""

    def _start_line(self) -> None:
        self._gap, self._column, self._written, self._indent = "", 0, 0, 0
        self._at_start, self._may_go_on = True, False
