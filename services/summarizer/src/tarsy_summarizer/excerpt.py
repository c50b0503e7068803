"""Making a text short enough for a model, without losing the line that matters. Pure."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

LONGEST_LINE = 1_000
"""Characters. A longer line is taken as several, or one of them could use up everything."""
MARK_BYTES = 60
LEAST_BUDGET = 1_000
BEFORE_GRAVE = 6
"""Rows before a grave one: they say what was being done when it happened."""
EACH_KIND = 3
"""So many lines of each kind of trouble are wanted before any kind gets more."""

GRAVE = re.compile(
    r"fatal|panic|\boom|out of memory|killed|segfault|core dumped|traceback|exception|denied|forbidden|unauthori[sz]ed"
    r"|x509|no space left|crash|corrupt|deadlock",
    re.IGNORECASE,
)
TROUBLE = re.compile(
    r"error|fail|warn|refused|timed? ?out|unreachable|unavailable|not found|no such|cannot|can't|invalid|abort|backoff"
    r"|evicted|unhealthy|exit code|\bE\d{4}\b",
    re.IGNORECASE,
)
CHANGING = re.compile(r"[0-9a-f]{8,}|\d+", re.IGNORECASE)
"""What tells two lines of one kind apart: numbers, ids, times."""


@dataclass(frozen=True, slots=True)
class Row:
    """`lines` of the text, from `first` (counted from 0): more than one where alike ones were collapsed."""

    first: int
    lines: int
    text: str
    kind: str

    @property
    def cost(self) -> int:
        return len(self.text.encode()) + 1


def excerpt(text: str, budget_bytes: int) -> str:
    """At most `budget_bytes` (at least LEAST_BUDGET): the head, the tail, and lines between that look like trouble.

    Runs of alike lines are collapsed. Marks in square brackets say what was left out, and how much.
    """
    assert budget_bytes >= LEAST_BUDGET
    if len(text.encode()) <= budget_bytes:
        return text
    rows = _collapsed(_lines(text))
    chosen = _choose(rows, budget_bytes - MARK_BYTES)
    return "\n".join(_rendered([rows[index] for index in sorted(chosen)], rows[-1].first + rows[-1].lines))


def _lines(text: str) -> list[str]:
    return [
        line[start : start + LONGEST_LINE]
        for line in text.splitlines()
        for start in range(0, max(len(line), 1), LONGEST_LINE)
    ]


def _collapsed(lines: Sequence[str]) -> list[Row]:
    rows: list[Row] = []
    for number, line in enumerate(lines):
        kind = CHANGING.sub("0", line)
        if rows and rows[-1].kind == kind:
            last = rows[-1]
            rows[-1] = Row(last.first, last.lines + 1, last.text, kind)
        else:
            rows.append(Row(number, 1, line, kind))
    return [_with_count(row) for row in rows]


def _with_count(row: Row) -> Row:
    if row.lines == 1:
        return row
    return Row(row.first, row.lines, f"{row.text}\n[{row.lines - 1} more lines like this one]", row.kind)


def _choose(rows: Sequence[Row], budget: int) -> set[int]:
    """Indices. A quarter for the head, a quarter for the tail, all the rest for the trouble between them."""
    if sum(row.cost for row in rows) <= budget:
        return set(range(len(rows)))
    head, left = _within(range(len(rows)), rows, budget // 4)
    tail, left_too = _within(range(len(rows) - 1, -1, -1), rows, budget // 4)
    chosen = set(head) | set(tail)
    left += left_too + budget - 2 * (budget // 4)
    for index in _by_weight(rows, chosen):
        # Each may stand alone, with a mark before it.
        cost = rows[index].cost + MARK_BYTES
        if index not in chosen and cost <= left:
            chosen.add(index)
            left -= cost
    return chosen


def _within(order: Iterable[int], rows: Sequence[Row], budget: int) -> tuple[list[int], int]:
    taken: list[int] = []
    for index in order:
        if rows[index].cost > budget:
            break
        taken.append(index)
        budget -= rows[index].cost
    return taken, budget


def _by_weight(rows: Sequence[Row], chosen: set[int]) -> list[int]:
    """Trouble between head and tail. Rare kinds first: the cause is said once, its consequences a thousand times."""
    kinds: dict[str, list[int]] = {}
    for index, row in enumerate(rows):
        if index not in chosen and (GRAVE.search(row.text) or TROUBLE.search(row.text)):
            kinds.setdefault(row.kind, []).append(index)
    rarest = sorted(kinds.values(), key=lambda found: (len(found), GRAVE.search(rows[found[0]].text) is None, found[0]))
    wanted: list[int] = []
    for found in rarest:
        for index in found[:EACH_KIND]:
            before = BEFORE_GRAVE if GRAVE.search(rows[index].text) else 1
            wanted += _around(index, before, len(rows))
    return wanted + [index for found in rarest for index in found[EACH_KIND:]]


def _around(index: int, before: int, count: int) -> list[int]:
    """The row itself, then its neighbours. What follows often explains: a stack, a "caused by"."""
    near = [index, index + 1, *range(index - 1, index - 1 - before, -1)]
    return [one for one in near if 0 <= one < count]


def _rendered(chosen: Sequence[Row], total: int) -> Iterable[str]:
    reached = 0
    for row in chosen:
        if row.first > reached:
            yield f"[{row.first - reached} lines left out]"
        yield row.text
        reached = row.first + row.lines
    if reached < total:
        yield f"[{total - reached} lines left out]"
