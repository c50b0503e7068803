"""Truncation and splitting of text, at lines where there are any, and never inside a character. Pure."""

from collections.abc import Iterator


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
