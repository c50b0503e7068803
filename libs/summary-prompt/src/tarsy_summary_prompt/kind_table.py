"""Table of the kinds of lines of a text: how often each comes, from when to when. Pure."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from tarsy_summary_prompt.place_names import PlaceNames
from tarsy_summary_prompt.rows import MOST_RARE, OTHERS, Rows, RowsOfKind

SAMPLE_BYTES = 160
MOST_IN_MARK = 2
"""Kinds that one mark counts."""


class KindTable:
    """The most frequent kinds, with trouble and without, in at most so many bytes."""

    def __init__(self, rows: Rows, names: PlaceNames, budget: int) -> None:
        self._rows = rows
        self._places: dict[int, int] = {}
        self._lines: list[str] = []
        for kind in _sort_by_frequency(rows.kinds):
            line = f"[kind {len(self._lines) + 1}: {kind.lines} lines, {names.span(kind.rows[0], kind.last)}] "
            line += _cut_sample(rows.text(kind.rows[0]))
            budget -= len(line.encode()) + 1
            if budget < 0:
                break
            self._lines.append(line)
            self._places[kind.number] = len(self._lines)

    @property
    def size(self) -> int:
        """Bytes, with a line break behind each line."""
        return sum(len(line.encode()) + 1 for line in self._lines)

    @property
    def text(self) -> str:
        return "\n".join(self._lines)

    def count(self, first: int, end: int) -> str:
        """How many lines of the most frequent kinds there are in rows from `first` to before `end`."""
        counts = Counter[int]()
        for number, lines in self._rows.kinds_and_line_counts(first, end):
            counts[number] += lines
        known = [(number, lines) for number, lines in counts.most_common(MOST_IN_MARK) if number in self._places]
        return ", ".join(f"{lines} of kind {self._places[number]}" for number, lines in known)


def _sort_by_frequency(kinds: Sequence[RowsOfKind]) -> Iterator[RowsOfKind]:
    """One of trouble, one without, in turn."""
    frequent = [kind for kind in kinds if kind.number != OTHERS and kind.lines > MOST_RARE]
    frequent.sort(key=lambda kind: -kind.lines)
    turns = zip_longest((one for one in frequent if one.weight), (one for one in frequent if not one.weight))
    return (kind for turn in turns for kind in turn if kind is not None)


def _cut_sample(line: str) -> str:
    return line if len(line) <= SAMPLE_BYTES else line[:SAMPLE_BYTES] + " ..."
