"""A place in a text: a line, and a byte in it. Both count from 0."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Position:
    line: int
    byte: int = 0

    def after(self, text: bytes) -> "Position":
        """Where one is who was here and has read this."""
        breaks = text.count(b"\n")
        if not breaks:
            return Position(self.line, self.byte + len(text))
        return Position(self.line + breaks, len(text) - text.rindex(b"\n") - 1)


def arguments(position: Position) -> str:
    """How an agent asks for what begins here."""
    return f"offset {position.line}" + (f" and byte {position.byte}" if position.byte else "")
