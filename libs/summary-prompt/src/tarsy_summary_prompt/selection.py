"""Selection of rows within a budget: the rows that an excerpt shows, and stretches that are folded. Pure."""

from bisect import bisect_left, insort
from collections.abc import Iterable, Sequence

from tarsy_summary_prompt.rows import OTHERS, Rows

MARK_BYTES = 60
FOLD_BYTES = 160
"""For the mark of a fold."""
PASSAGE = 10
"""Rows that are kept together where nothing stands out."""
ALTERNATING = 3
"""Most kinds in a passage whose rows alternate: the first row of each stands for the rest of them."""
LEAST_FOLD = 5
MOST_MISSES = 100
"""Rows and passages without room that are tried: others may be shorter, but not many."""
FOLDS = 40
"""A text that is folded whole has so many folds: each shows a few rows, so that all parts of the text are seen."""


class Selection:
    """`chosen` rows and `folds`, which have no row in common. `left` bytes are not spent yet."""

    def __init__(self, rows: Rows, budget: int) -> None:
        self._rows = rows
        self._longest_fold = max(10 * PASSAGE, len(rows) // FOLDS)
        self.left = budget
        self.chosen: set[int] = set()
        self.folds: list[tuple[int, int]] = []
        """From a row to before another, ascending."""

    def add(self, wanted: Iterable[Sequence[int]], capacity: int) -> None:
        """Adds neighbouring rows while there is room for them. Folds come after all that is added so."""
        least, misses = self.left - min(capacity, self.left), 0
        for rows in wanted:
            new = [row for row in rows if row not in self.chosen]
            if new and not self._add_if_it_fits(new, least):
                misses += 1
                if misses > MOST_MISSES or self.left - least <= MARK_BYTES:
                    break

    def add_next(self, wanted: Iterable[int], capacity: int) -> None:
        """Adds rows that follow one another, up to the first for which there is no room."""
        least = self.left - min(capacity, self.left)
        for row in wanted:
            cost = 0 if row in self.chosen else self._rows.costs[row]
            if cost > self.left - least:
                break
            self.chosen.add(row)
            self.left -= cost

    def add_passages(self, wanted: Iterable[range], capacity: int) -> None:
        """As `add`, but rows that alternate are folded: the first of each kind is shown, and the others are counted."""
        least, misses = self.left - min(capacity, self.left), 0
        for passage in wanted:
            if not self._try_to_fold(passage, least) and not self._add_if_it_fits(
                [row for row in passage if self._is_free(row)], least
            ):
                misses += 1
                if misses > MOST_MISSES or self.left - least <= MARK_BYTES:
                    break

    def _add_if_it_fits(self, new: Sequence[int], least: int) -> bool:
        """Whether there were any, and room for them."""
        # They may stand alone, with a mark before them.
        cost = sum(map(self._rows.costs.__getitem__, new)) + MARK_BYTES
        if not new or cost > self.left - least:
            return False
        self.chosen.update(new)
        self.left -= cost
        return True

    def _try_to_fold(self, passage: range, least: int) -> bool:
        """Whether the rows of the passage alternate, and were folded."""
        numbers = self._rows.kind_numbers
        kinds = set(numbers[passage.start : passage.stop])
        if len(kinds) > ALTERNATING or OTHERS in kinds or not all(map(self._is_free, passage)):
            return False
        shown = max(numbers.index(kind, passage.start) for kind in kinds) + 1
        end = self._end_of_fold(passage, kinds)
        cost = sum(self._rows.costs[row] for row in range(passage.start, shown)) + MARK_BYTES + FOLD_BYTES
        if end - shown < LEAST_FOLD or cost > self.left - least:
            return False
        self.chosen.update(range(passage.start, shown))
        insort(self.folds, (shown, end))
        self.left -= cost
        return True

    def _end_of_fold(self, passage: range, kinds: set[int]) -> int:
        numbers, end = self._rows.kind_numbers, passage.stop
        index = bisect_left(self.folds, (end, end))
        most = min(self.folds[index][0] if index < len(self.folds) else len(numbers), end + self._longest_fold)
        while end < most and numbers[end] in kinds and end not in self.chosen:
            end += 1
        return end

    def _is_free(self, row: int) -> bool:
        if row in self.chosen:
            return False
        before = bisect_left(self.folds, (row + 1, 0)) - 1
        return before < 0 or row >= self.folds[before][1]


def select_all(rows: Rows) -> Selection:
    selection = Selection(rows, 0)
    selection.chosen.update(range(len(rows)))
    return selection
