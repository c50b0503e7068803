"""Start of a page: skips a text up to the position where reading begins. Pure."""

from tarsy_results.position import TextPosition
from tarsy_results.text import line_offset

KEPT_BYTES = 64 * 1024


class PageStart:
    """Lets nothing through of what lies before `goal`. `at` is where that was found: its line may be shorter.

    `before` is the end of what was skipped, or all of it: it says to which time the first lines belong.
    """

    def __init__(self, goal: TextPosition) -> None:
        self._goal = goal
        self.at = TextPosition(0)
        self.before = b""
        self.before_is_whole = True
        self.arrived = goal == self.at

    def take(self, piece: bytes) -> bytes:
        """The part of the piece that belongs to the page."""
        if self.arrived:
            return piece
        rest = self._cut_start(piece)
        skipped = self.before + piece[: len(piece) - len(rest)]
        self.before_is_whole = self.before_is_whole and len(skipped) <= KEPT_BYTES
        self.before = skipped[-KEPT_BYTES:]
        return rest

    def _cut_start(self, piece: bytes) -> bytes:
        start = 0
        missing = self._goal.line - self.at.line
        if missing:
            if piece.count(b"\n") < missing:
                self.at = self.at.after(piece)
                return b""
            start = line_offset(piece, missing)
            self.at = TextPosition(self._goal.line)
        return self._cut_within_line(piece, start)

    def _cut_within_line(self, piece: bytes, start: int) -> bytes:
        end = piece.find(b"\n", start)
        end = len(piece) if end < 0 else end
        ahead = min(self._goal.byte - self.at.byte, end - start)
        self.at = TextPosition(self.at.line, self.at.byte + ahead)
        start += ahead
        while start < end and piece[start] & 0xC0 == 0x80:
            # The byte that was asked for lies inside of a character.
            start, self.at = start + 1, TextPosition(self.at.line, self.at.byte + 1)
        self.arrived = self.at.byte >= self._goal.byte or end < len(piece)
        return piece[start:]
