"""Regions of several lines that no regex bounds: rows of tables and of SQL, block scalars, keys with text before lines.

Each scan reads a text once, and returns its edits and where a region begins that may go on after the end of the text.
"""

from collections.abc import Sequence
from typing import NamedTuple

from tarsy_masking.edits import Edit


class Regions(NamedTuple):
    edits: Sequence[Edit]
    open_since: int | None = None
    """Where the last region begins, if the text ends inside of it."""


class RegionEdits(NamedTuple):
    """The edits of one region, the place to go on at, and whether it is known to end there, whatever text follows."""

    edits: Sequence[Edit]
    stop: int
    ended: bool


NO_REGIONS = Regions(())


def line_end(text: bytes, position: int) -> int:
    end = text.find(b"\n", position)
    return len(text) if end < 0 else end


def line_start(text: bytes, position: int) -> int:
    return text.rfind(b"\n", 0, position) + 1
