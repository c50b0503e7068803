"""Orders in which rows are wanted: trouble by weight, rare kinds by rarity, passages from all parts. Pure."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest

from tarsy_summary_prompt.line_kinds import Weight
from tarsy_summary_prompt.rows import MOST_RARE, OTHERS, Rows, RowsOfKind
from tarsy_summary_prompt.selection import PASSAGE

BEFORE_GRAVE = 6
"""Rows before a grave one: they say what was being done when it happened."""
EACH_KIND = 3
"""Lines of each kind of trouble that are wanted before any kind gets more."""
MOST_IN_TURN = 32
"""Rows of one kind. The hundredth warning is worth less than other lines."""


def trouble_by_weight(rows: Rows) -> list[RowsOfKind]:
    """Rare kinds first: a cause is said once, effects a thousand times."""
    found = [kind for kind in rows.kinds if kind.weight]
    found.sort(
        key=lambda kind: (kind.family.rows.bit_length(), kind.count, kind.weight is not Weight.GRAVE, kind.rows[0])
    )
    return found


def first_of_each(rows: Rows, kinds: Sequence[RowsOfKind]) -> Iterator[Sequence[int]]:
    for kind in kinds:
        for row in kind.rows[:EACH_KIND]:
            yield from around(row, BEFORE_GRAVE if rows.is_grave(row) else 1, len(rows))


def more_of_each(kinds: Sequence[RowsOfKind]) -> Iterator[int]:
    return in_turn([kind.rows[EACH_KIND:] for kind in kinds])


def in_turn(kinds: Iterable[Sequence[int]]) -> Iterator[int]:
    """A row of each kind, then another of each: few of one kind, and those from all parts of the text."""
    turns = zip_longest(*(_spread_out(rows[:: -(-len(rows) // MOST_IN_TURN)]) for rows in kinds if rows))
    return (row for turn in turns for row in turn if row is not None)


def news_by_rarity(rows: Rows) -> list[RowsOfKind]:
    """Kinds of small families, with trouble and without: messages that come a few times in the whole text."""
    return _sort_by_rarity(kind for kind in _kinds_with_names(rows) if kind.family.rows <= MOST_RARE)


def rare_by_rarity(rows: Rows) -> list[RowsOfKind]:
    """Rare kinds without trouble: rare values in more frequent messages too."""
    return _sort_by_rarity(kind for kind in _kinds_with_names(rows) if not kind.weight and kind.is_rare)


def _kinds_with_names(rows: Rows) -> Iterator[RowsOfKind]:
    return (kind for kind in rows.kinds if kind.number != OTHERS)


def _sort_by_rarity(kinds: Iterable[RowsOfKind]) -> list[RowsOfKind]:
    """Small families first, then rare kinds.

    In an order that spreads over the text, so that no part of it is missing when there is no room for all.
    """
    alike: dict[tuple[int, int], list[RowsOfKind]] = {}
    for kind in kinds:
        alike.setdefault((kind.family.rows.bit_length(), kind.count), []).append(kind)
    return [kind for _, same in sorted(alike.items()) for kind in _spread_out(same)]


def each_row(kinds: Iterable[RowsOfKind]) -> Iterator[int]:
    return (row for kind in kinds for row in kind.rows)


def each_row_within(kinds: Iterable[RowsOfKind], windows: Iterable[range]) -> Iterator[int]:
    for window in windows:
        for kind in kinds:
            yield from kind.rows[bisect_left(kind.rows, window.start) : bisect_left(kind.rows, window.stop)]


def alone(wanted: Iterable[int]) -> Iterator[Sequence[int]]:
    return ([row] for row in wanted)


def with_neighbours(wanted: Iterable[int], before: int, count: int) -> Iterator[Sequence[int]]:
    return (near for row in wanted for near in around(row, before, count))


def around(row: int, before: int, count: int) -> Iterator[Sequence[int]]:
    """The row itself, then its neighbours. The lines after it often explain: a stack, a "caused by"."""
    near = (row, row + 1, *range(row - 1, row - 1 - before, -1))
    return ([one] for one in near if 0 <= one < count)


def passages(count: int) -> Iterator[range]:
    """Rows that stand together, in an order that spreads over the text."""
    for number in _spread_out(range(-(-count // PASSAGE))):
        yield range(number * PASSAGE, min((number + 1) * PASSAGE, count))


def passages_outward(row: int, count: int) -> Iterator[range]:
    """The row with those around it, then two passages before it for each one behind it."""
    middle = max(0, row - PASSAGE // 2)
    yield range(middle, min(middle + PASSAGE, count))
    before, behind = middle, middle + PASSAGE
    while before > 0 or behind < count:
        for begin, end in (
            (before - PASSAGE, before),
            (before - 2 * PASSAGE, before - PASSAGE),
            (behind, behind + PASSAGE),
        ):
            if end > 0 and begin < count:
                yield range(max(0, begin), min(end, count))
        before, behind = before - 2 * PASSAGE, behind + PASSAGE


def _spread_out[T](items: Sequence[T]) -> Iterator[T]:
    return (items[index] for index in sorted(range(len(items)), key=_reverse_bits))


def _reverse_bits(number: int) -> int:
    """Neighbours lie far apart in this order: 0, 1/2, 1/4, 3/4, 1/8 ... of what there is."""
    return int(f"{number:032b}"[::-1], 2)
