"""Position in a text: a line, and a byte in it. Both count from 0."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class TextPosition:
    line: int
    byte: int = 0

    def after(self, text: bytes) -> "TextPosition":
        """Where one is who was here and has read this."""
        breaks = text.count(b"\n")
        if not breaks:
            return TextPosition(self.line, self.byte + len(text))
        return TextPosition(self.line + breaks, len(text) - text.rindex(b"\n") - 1)
