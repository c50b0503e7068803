"""A file or standard input as text, up to a limit."""

import sys
from pathlib import Path

from tarsy_cli.console.units import format_size
from tarsy_cli.errors import CommandError

STANDARD_INPUT = "-"
LARGEST = 64 << 20
LOOKED_AT = 1 << 16


class UnreadableInputError(CommandError):
    """The file cannot be read. The operator names another one."""


def text_of(file: Path, *, largest: int = LARGEST) -> str:
    """Bytes that are no UTF-8 become question marks, so that they hide no secret. Raises UnreadableInputError."""
    data = _read_bytes(file, largest + 1)
    if len(data) > largest:
        raise UnreadableInputError(
            f"{file} has more than {format_size(largest)}, too much to mask in one piece: split it."
        )
    if 0 in data[:LOOKED_AT]:
        raise UnreadableInputError(
            f"{file} is not text: it has zero bytes. Unpack it, or convert it from UTF-16, first."
        )
    return data.decode(errors="replace")


def _read_bytes(file: Path, most: int) -> bytes:
    try:
        if str(file) == STANDARD_INPUT:
            return sys.stdin.buffer.read(most)
        with file.open("rb") as opened:
            return opened.read(most)
    except OSError as problem:
        raise UnreadableInputError(f"{file} cannot be read: {problem.strerror or problem}") from None
