"""Excerpt of a long text: short enough for a model, without losing the line that matters. Pure.

Linear in the text, whatever it holds, and in little memory: the storm of alerts that calls for summaries brings many
long results at once.
"""

import codecs
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence

from tarsy_summarizer.line_splitter import LineSplitter
from tarsy_summarizer.rows import Row, Rows, more_like_this

MARK_BYTES = 60
LEAST_BUDGET = 1_000
BEFORE_GRAVE = 6
"""Rows before a grave one: they say what was being done when it happened."""
EACH_KIND = 3
"""Lines of each kind of trouble that are wanted before any kind gets more."""
PASSAGE = 10
"""Rows that are kept together where nothing stands out."""
BLOCK_CHARACTERS = 64 * 1024
"""Taken at a time. The objects of its lines are small and gone before the next block."""


class Excerpt:
    """Takes a text of UTF-8 piece by piece.

    At most `budget_bytes` (at least LEAST_BUDGET) remain: the head, the tail, and between them lines that look like
    trouble and lines of rare kinds. Runs of alike lines are collapsed. Marks in square brackets say what was left out,
    and how much.
    """

    def __init__(self, budget_bytes: int) -> None:
        assert budget_bytes >= LEAST_BUDGET
        self._budget = budget_bytes
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._splitter = LineSplitter()
        self._rows = Rows()
        self._short: list[str] = []
        """The whole text, while it fits."""
        self._size = 0

    def take(self, piece: bytes) -> None:
        for start in range(0, len(piece), BLOCK_CHARACTERS):
            self._take(self._decoder.decode(piece[start : start + BLOCK_CHARACTERS]))

    def finish(self) -> str:
        """The excerpt, when there are no more pieces."""
        self._take(self._decoder.decode(b"", final=True))
        if self._size <= self._budget:
            return "".join(self._short)
        self._rows.take(self._splitter.rest())
        self._rows.finish()
        chosen = sorted(_choose(self._rows, self._budget - MARK_BYTES))
        return "\n".join(_rendered(self._rows.texts(chosen), self._rows.lines))

    def _take(self, text: str) -> None:
        fitted = self._size <= self._budget
        self._size += len(text) if text.isascii() else len(text.encode())
        if fitted:
            self._short.append(text)
        if self._size > self._budget:
            for block in self._short or (text,):
                self._rows.take(self._splitter.take(block))
            self._short = []


def _choose(rows: Rows, budget: int) -> set[int]:
    """Rows. An eighth for the head, one for the tail; between them three for rare kinds, and three for trouble.

    Room that is left is for whatever stands between, from all parts of the text alike.
    """
    costs = rows.costs
    if sum(costs) <= budget:
        return set(range(len(rows)))
    head, left = _within(range(len(rows)), costs, budget // 8)
    tail, left_too = _within(range(len(rows) - 1, -1, -1), costs, budget // 8)
    chosen = {*range(head), *range(len(rows) - tail, len(rows))}
    left += left_too + budget - 2 * (budget // 8)
    begin, end = head, len(rows) - tail
    rare = _by_rarity(rows, begin, end)
    trouble = _by_weight(rows, begin, end)
    left -= _add(chosen, rare, costs, min(left, 3 * budget // 8))
    left -= _add(chosen, _first_of_each(rows, trouble), costs, left)
    left -= _add(chosen, rare, costs, left)
    left -= _add(chosen, ([row] for found in trouble for row in found[EACH_KIND:]), costs, left)
    _add(chosen, _passages(begin, end), costs, left)
    return chosen


def _add(chosen: set[int], wanted: Iterator[Sequence[int]], costs: Sequence[int], room: int) -> int:
    """Adds neighbouring rows while there is room for them, and returns how much they take."""
    left = room
    for rows in wanted:
        if left <= MARK_BYTES:
            break
        new = [row for row in rows if row not in chosen]
        # They may stand alone, with a mark before them.
        cost = sum(costs[row] for row in new) + MARK_BYTES
        if new and cost <= left:
            chosen.update(new)
            left -= cost
    return room - left


def _within(order: Iterable[int], costs: Sequence[int], budget: int) -> tuple[int, int]:
    """How many rows the budget is enough for, and what is left of it."""
    count = 0
    for row in order:
        if costs[row] > budget:
            break
        count += 1
        budget -= costs[row]
    return count, budget


def _passages(begin: int, end: int) -> Iterator[Sequence[int]]:
    """Rows that stand together, in an order that spreads over the text."""
    count = -(-(end - begin) // PASSAGE)
    for number in sorted(range(count), key=_reversed_bits):
        first = begin + number * PASSAGE
        yield range(first, min(first + PASSAGE, end))


def _by_weight(rows: Rows, begin: int, end: int) -> Sequence[Sequence[int]]:
    """Trouble from row `begin` to before `end`. Rare kinds first: a cause is said once, effects a thousand times."""
    rarest = sorted(
        ((family, between) for family, found in rows.trouble if (between := _between(found, begin, end))),
        key=lambda one: (one[0].bit_length(), len(one[1]), not rows.is_grave(one[1][0]), one[1][0]),
    )
    return [found for _, found in rarest]


def _first_of_each(rows: Rows, kinds: Sequence[Sequence[int]]) -> Iterator[Sequence[int]]:
    for found in kinds:
        for row in found[:EACH_KIND]:
            yield from ([near] for near in _around(row, BEFORE_GRAVE if rows.is_grave(row) else 1, len(rows)))


def _by_rarity(rows: Rows, begin: int, end: int) -> Iterator[Sequence[int]]:
    """Rare rows without trouble in them, from row `begin` to before `end`: small families first, then rare kinds.

    In an order that spreads over the text, so that no part of it is missing when there is no room for all.
    """
    alike: dict[tuple[int, int], list[Sequence[int]]] = {}
    for family, found in rows.rare:
        if between := _between(found, begin, end):
            alike.setdefault((family.bit_length(), len(found)), []).append(between)
    for _, same in sorted(alike.items()):
        same.sort(key=lambda found: found[0])
        for place in sorted(range(len(same)), key=_reversed_bits):
            yield from ([row] for row in same[place])


def _between(found: Sequence[int], begin: int, end: int) -> Sequence[int]:
    """Those of the ascending rows that lie from row `begin` to before `end`."""
    return found[bisect_left(found, begin) : bisect_left(found, end)]


def _reversed_bits(number: int) -> int:
    """Neighbours lie far apart in this order: 0, 1/2, 1/4, 3/4, 1/8 ... of what there is."""
    return int(f"{number:032b}"[::-1], 2)


def _around(row: int, before: int, count: int) -> Iterator[int]:
    """The row itself, then its neighbours. The lines after it often explain: a stack, a "caused by"."""
    near = (row, row + 1, *range(row - 1, row - 1 - before, -1))
    return (one for one in near if 0 <= one < count)


def _rendered(chosen: Iterable[Row], total: int) -> Iterator[str]:
    reached = 0
    for row in chosen:
        if row.first > reached:
            yield f"[{row.first - reached} lines left out]"
        yield row.text + more_like_this(row.lines)
        reached = row.first + row.lines
    if reached < total:
        yield f"[{total - reached} lines left out]"
