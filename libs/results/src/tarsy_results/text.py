"""Truncation and splitting of text, at lines where there are any, and never inside a character. Pure."""

from collections.abc import Iterator

FEW_BYTES = 512


def truncate_at_line(data: bytes, most: int) -> bytes:
    """At most `most` bytes. A line longer than half of that is itself cut: else little or nothing would be left."""
    if len(data) <= most:
        return data
    line = data.rfind(b"\n", 0, most) + 1
    return data[: line if line > most // 2 else character_start(data, most)]


def split(data: bytes, most: int) -> Iterator[bytes]:
    """In order, none longer than `most` (at least 4)."""
    start = 0
    while start < len(data):
        end = len(data) if len(data) - start <= most else character_start(data, start + most)
        yield data[start:end]
        start = end


def count_lines(data: bytes) -> int:
    """A last line counts without its line break, too."""
    return data.count(b"\n") + (bool(data) and not data.endswith(b"\n"))


def character_start(data: bytes, position: int) -> int:
    """The nearest start of a character at or before the position. Continuation bytes are 0b10......"""
    while data[position] & 0xC0 == 0x80:
        position -= 1
    return position


def line_start(data: bytes, position: int, lowest: int = 0) -> int:
    """Where the line begins that has this position; `lowest` is the beginning of a line before it."""
    return max(lowest, data.rfind(b"\n", lowest, position) + 1)


def line_offset(data: bytes, lines: int) -> int:
    """Where the line begins that has so many before it; the end where there is no such line."""
    low, high = 0, len(data)
    while high - low > FEW_BYTES:
        middle = (low + high) // 2
        breaks = data.count(b"\n", low, middle)
        low, high, lines = (low, middle, lines) if breaks >= lines else (middle, high, lines - breaks)
    for _ in range(lines):
        found = data.find(b"\n", low)
        if found < 0:
            return len(data)
        low = found + 1
    return low
