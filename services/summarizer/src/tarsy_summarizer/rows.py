"""Rows of a text: its lines, runs of alike ones collapsed, in little memory. Pure."""

import mmap
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tarsy_summarizer.line_kinds import LineKind, LineKinds, Weight

MOST_KINDS = 50_000
"""Kinds of trouble that are told apart, so many more of grave ones, and so many of ordinary ones."""
MOST_RARE = 8
"""Rows of a kind that is rare: a line that comes a few times among thousands is news, whatever its words."""


@dataclass(frozen=True, slots=True)
class Row:
    """`lines` of the text, from `first` (counted from 0). Only the first of them is in `text`."""

    first: int
    lines: int
    text: str


class Rows:
    """Holds the text in blocks and a few numbers for each row: an object for each line takes far more memory."""

    def __init__(self) -> None:
        self._kinds = LineKinds()
        self._blocks: list[mmap.mmap | bytes] = []
        self._block_starts: list[int] = []
        self._lines = 0
        self._last_key: int | None = None
        self._firsts = array("I")
        self._costs = array("H")
        self._grave = bytearray()
        self._trouble: dict[int, array[int]] = {}
        self._ordinary: dict[int, array[int] | None] = {}
        """Without trouble. None for kinds that are not rare any more."""
        self._families: dict[int, int] = {}
        self._family_of: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._firsts)

    @property
    def lines(self) -> int:
        return self._lines

    @property
    def costs(self) -> Sequence[int]:
        """Bytes of each row with its line break. Valid after `finish`."""
        return self._costs

    @property
    def trouble(self) -> Iterator[tuple[int, Sequence[int]]]:
        """The rows that look like trouble, ascending, for each kind of it, with the size of its family."""
        return ((self._families.get(self._family_of[key], 0), rows) for key, rows in self._trouble.items())

    @property
    def rare(self) -> Iterator[tuple[int, Sequence[int]]]:
        """The rows of each rare kind that does not look like trouble, ascending, with the size of its family."""
        return (
            (self._families.get(self._family_of[key], 0), rows)
            for key, rows in self._ordinary.items()
            if rows is not None
        )

    def is_grave(self, row: int) -> bool:
        return self._grave[row] != 0

    def take(self, lines: Sequence[str]) -> None:
        """Lines that hold no line break."""
        if not lines:
            return
        for number, kind in enumerate(self._kinds.of(lines)):
            if kind.key != self._last_key:
                self._begin(self._lines + number, lines[number], kind)
        self._blocks.append(_outside_heap("\n".join(lines).encode()))
        self._block_starts.append(self._lines)
        self._lines += len(lines)

    def finish(self) -> None:
        """When there are no more lines."""
        self._end_last(self._lines)
        self._last_key = None

    def texts(self, rows: Sequence[int]) -> Iterator[Row]:
        """The texts of these rows, in ascending order."""
        block, lines = -1, list[bytes]()
        for row in rows:
            first = self._firsts[row]
            holding = bisect_right(self._block_starts, first) - 1
            if holding != block:
                block, lines = holding, self._blocks[holding][:].split(b"\n")
            text = lines[first - self._block_starts[block]].decode()
            yield Row(first, self._end(row) - first, text)

    def _end(self, row: int) -> int:
        return self._firsts[row + 1] if row + 1 < len(self._firsts) else self._lines

    def _begin(self, number: int, line: str, kind: LineKind) -> None:
        self._end_last(number)
        if kind.family in self._families or len(self._families) < MOST_KINDS:
            self._families[kind.family] = self._families.get(kind.family, 0) + 1
        if kind.weight:
            self._note(len(self._firsts), kind)
        else:
            self._note_ordinary(len(self._firsts), kind)
        self._firsts.append(number)
        self._costs.append((len(line) if line.isascii() else len(line.encode())) + 1)
        self._grave.append(kind.weight is Weight.GRAVE)
        self._last_key = kind.key

    def _end_last(self, end: int) -> None:
        if self._firsts and (lines := end - self._firsts[-1]) > 1:
            self._costs[-1] += len(more_like_this(lines).encode())

    def _note(self, row: int, kind: LineKind) -> None:
        known = self._trouble.get(kind.key)
        if known is not None:
            known.append(row)
        elif len(self._trouble) < MOST_KINDS * kind.weight:
            self._trouble[kind.key] = array("I", (row,))
            self._family_of[kind.key] = kind.family

    def _note_ordinary(self, row: int, kind: LineKind) -> None:
        key = kind.key
        if key not in self._ordinary:
            if len(self._ordinary) < MOST_KINDS:
                self._ordinary[key] = array("I", (row,))
                self._family_of[key] = kind.family
            return
        known = self._ordinary[key]
        if known is not None and len(known) < MOST_RARE:
            known.append(row)
        elif known is not None:
            self._ordinary[key] = None


def _outside_heap(block: bytes) -> mmap.mmap | bytes:
    """The block in pages of its own, which go back when it is dropped.

    Heap that a thread frees stays with the process: measured, 24 MB after two texts of 11 MB.
    """
    if len(block) < mmap.PAGESIZE:
        return block
    pages = mmap.mmap(-1, len(block))
    pages[:] = block
    return pages


def more_like_this(lines: int) -> str:
    """The mark after the first of so many alike lines."""
    return f"\n[{lines - 1} more lines like this one]" if lines > 1 else ""
