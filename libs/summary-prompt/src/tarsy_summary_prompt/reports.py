"""Reports: lines that tell two numbers or more now and then, as those of a pool or a queue. Pure."""

import re
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import chain, zip_longest

from tarsy_summary_prompt.row_orders import in_turn
from tarsy_summary_prompt.rows import OTHERS, Rows, RowsOfKind

NUMBER = re.compile(r"(?<![\w./+-])(?<![0-9]:)-?[0-9]{1,9}(?:\.[0-9]+)?(?:%|[A-Za-z]{1,3})?(?!\.?\w|[:/-])")
"""Stands alone: it is no part of a time, an address or a version."""
LEAST_NUMBERS = 2
INFREQUENT = 20
"""A kind with more than this part of all rows is what the program does all the time."""
MOST_KINDS = 32


def rows_of_reports(rows: Rows) -> list[Sequence[int]]:
    """All rows of each kind of report, the least frequent kind first. Rare kinds are wanted anyway."""
    # In the order of their first rows, in which their texts are cheap.
    kinds = [kind for kind in rows.kinds if _is_infrequent(kind, len(rows)) and _tells_numbers(rows, kind)]
    kinds.sort(key=lambda kind: kind.count)
    found = {kind.number: array("I") for kind in kinds[:MOST_KINDS]}
    if found:
        for row, number in enumerate(rows.kind_numbers):
            if number in found:
                found[number].append(row)
    return list(found.values())


def reports_in_turn(reports: Sequence[Sequence[int]], windows: Sequence[range]) -> Iterator[int]:
    """One within the windows, then one from any part: either alone would take the room of the other."""
    near = chain.from_iterable(in_turn([_rows_within(one, window) for one in reports]) for window in windows)
    return (row for pair in zip_longest(near, in_turn(reports)) for row in pair if row is not None)


def _rows_within(rows: Sequence[int], window: range) -> Sequence[int]:
    return rows[bisect_left(rows, window.start) : bisect_left(rows, window.stop)]


def _is_infrequent(kind: RowsOfKind, count: int) -> bool:
    return kind.number != OTHERS and not kind.weight and not kind.is_rare and kind.count * INFREQUENT <= count


def _tells_numbers(rows: Rows, kind: RowsOfKind) -> bool:
    return len(NUMBER.findall(rows.text(kind.rows[0]))) >= LEAST_NUMBERS
