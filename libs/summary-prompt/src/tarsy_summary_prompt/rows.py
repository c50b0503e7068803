"""Rows of a text: its lines, runs of alike ones collapsed, in little memory. Pure."""

import mmap
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import sub

from tarsy_summary_prompt.line_kinds import LineKind, LineKinds, Weight

MOST_KINDS = 50_000
"""Kinds of trouble that are told apart, so many more of grave ones, and so many of ordinary ones."""
MOST_OF_FAMILY = 1_000
"""Kinds of one family that are told apart. Further ones are one kind: ids of letters make each line another."""
MOST_RARE = 8
"""Rows of a kind that is rare: a line that comes a few times among thousands is news, whatever its words."""
MOST_OPEN = 12
"""Blocks whose lines are held at a time."""
FEW_LINES = 20
"""At the begin of a block: they are read without dividing all of it."""
OTHERS = 0
"""The number of all kinds that are not told apart."""


@dataclass(slots=True)
class KindFamily:
    """Kinds with the same message. `rows` is how many they have together, `further` the kind of those too many."""

    rows: int = 0
    kinds: int = 0
    further: "RowsOfKind | None" = None


@dataclass(slots=True)
class RowsOfKind:
    """`rows` are ascending: all of them for a kind of trouble, the first ones for another.

    `count` is how many there are, `last` the last of them, `repeats` how many lines besides the first of each.
    """

    number: int
    weight: Weight
    family: KindFamily
    rows: array[int]
    count: int = 0
    last: int = 0
    repeats: int = 0

    @property
    def lines(self) -> int:
        return self.count + self.repeats

    @property
    def is_rare(self) -> bool:
        return self.count <= MOST_RARE


class Rows:
    """Holds the text in blocks and a few numbers for each row: an object for each line takes far more memory."""

    def __init__(self) -> None:
        self._line_kinds = LineKinds()
        self._blocks: list[mmap.mmap | bytes] = []
        self._block_starts: list[int] = []
        self._open: dict[int, list[bytes]] = {}
        """The lines of the blocks that were read last."""
        self._lines = 0
        self._last: RowsOfKind | None = None
        self._last_key: int | None = None
        self._firsts = array("I")
        self._costs = array("H")
        self._kind_numbers = array("I")
        self._others = RowsOfKind(OTHERS, Weight.NONE, KindFamily(), array("I"))
        self._kinds = [self._others]
        self._by_key: dict[int, RowsOfKind] = {}
        self._families: dict[int, KindFamily] = {}
        self._named_kinds = [0, 0]
        """Kinds without trouble, and kinds with it."""

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
    def kind_numbers(self) -> Sequence[int]:
        """The place in `kinds` of the kind of each row."""
        return self._kind_numbers

    @property
    def kinds(self) -> Sequence[RowsOfKind]:
        """The first is that of all which are not told apart."""
        return self._kinds

    @property
    def block_rows(self) -> Sequence[int]:
        """Rows that stand about equally far apart: one for each block of the text."""
        return [bisect_left(self._firsts, start) for start in self._block_starts]

    def is_grave(self, row: int) -> bool:
        return self._kinds[self._kind_numbers[row]].weight is Weight.GRAVE

    def first_line(self, row: int) -> int:
        """Counted from 0. The row behind the last begins where the text ends."""
        return self._firsts[row] if row < len(self._firsts) else self._lines

    def kinds_and_line_counts(self, first: int, end: int) -> Iterator[tuple[int, int]]:
        """The number of the kind, and the count of lines, of each row from `first` to before `end`."""
        begins = self._firsts[first : end + 1]
        if end == len(self._firsts):
            begins.append(self._lines)
        return zip(self._kind_numbers[first:end], map(sub, begins[1:], begins), strict=False)

    def text(self, row: int) -> str:
        """Its first line. Cheap for rows that stand near those that were asked for before."""
        first = self._firsts[row]
        block = bisect_right(self._block_starts, first) - 1
        return self._line_at(block, first - self._block_starts[block]).decode()

    def _line_at(self, block: int, position: int) -> bytes:
        if block in self._open:
            return self._open[block][position]
        text = self._blocks[block][:]
        if position < FEW_LINES:
            return text.split(b"\n", position + 1)[position]
        if len(self._open) >= MOST_OPEN:
            del self._open[next(iter(self._open))]
        self._open[block] = text.split(b"\n")
        return self._open[block][position]

    def take(self, lines: Sequence[str]) -> None:
        """Lines that hold no line break."""
        if not lines:
            return
        last_key = self._last_key
        for number, kind in enumerate(self._line_kinds.of(lines), self._lines):
            if kind.key != last_key:
                self._begin_row(number, lines[number - self._lines], kind)
                last_key = kind.key
        self._last_key = last_key
        self._blocks.append(_move_off_heap("\n".join(lines).encode()))
        self._block_starts.append(self._lines)
        self._lines += len(lines)

    def finish(self) -> None:
        """When there are no more lines."""
        self._end_last(self._lines)

    def _begin_row(self, number: int, line: str, kind: LineKind) -> None:
        self._end_last(number)
        row = len(self._firsts)
        found = self._by_key.get(kind.key) or self._add_kind(kind)
        found.count += 1
        found.last = row
        found.family.rows += 1
        if found.weight or found.count <= MOST_RARE:
            found.rows.append(row)
        self._last = found
        self._firsts.append(number)
        self._costs.append((len(line) if line.isascii() else len(line.encode())) + 1)
        self._kind_numbers.append(found.number)

    def _end_last(self, end: int) -> None:
        if self._last is not None and (lines := end - self._firsts[-1]) > 1:
            self._costs[-1] += len(more_like_this(lines).encode())
            self._last.repeats += lines - 1

    def _add_kind(self, kind: LineKind) -> RowsOfKind:
        family = self._family_of(kind)
        if family.further is not None:
            return family.further
        troubled = min(kind.weight, 1)
        if self._named_kinds[troubled] >= MOST_KINDS * max(kind.weight, 1):
            return self._others
        self._named_kinds[troubled] += 1
        found = RowsOfKind(len(self._kinds), kind.weight, family, array("I"))
        self._kinds.append(found)
        family.kinds += 1
        if family.kinds > MOST_OF_FAMILY:
            family.further = found
        else:
            self._by_key[kind.key] = found
        return found

    def _family_of(self, kind: LineKind) -> KindFamily:
        known = self._families.get(kind.family)
        if known is None:
            known = KindFamily()
            if len(self._families) < MOST_KINDS:
                self._families[kind.family] = known
        return known


def _move_off_heap(block: bytes) -> mmap.mmap | bytes:
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
