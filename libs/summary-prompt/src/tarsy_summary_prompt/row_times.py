"""Times of the rows of a text, by the stamps of its lines. Pure.

Few lines are read: a log is sorted in long stretches, so a time is found by halving.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta, tzinfo
from functools import cached_property
from itertools import chain, pairwise
from typing import NamedTuple

from tarsy_summary_prompt.rows import Rows
from tarsy_timestamps.partial_time import PartialTime
from tarsy_timestamps.stamps import find_stamp, names_zone

LOOKED_AT = 4
"""Rows before one without a stamp, and behind it, that may have its time: a stack trace has one above it."""
MOST_WITHOUT = 4
"""Blocks without a stamp at the begin of a text: it has none at all."""
OUTSIDE = timedelta(hours=1)
"""A time so little before a text's first stamp, or after its last, is at its begin or end."""
MOST_DAYS = 3


class StampSpan(NamedTuple):
    begin: datetime
    end: datetime


class RowTimes:
    """`near`: about when the text was written (`find_stamp` says what it is for)."""

    def __init__(self, rows: Rows, near: datetime) -> None:
        self._rows = rows
        self._near = near

    def of(self, row: int) -> datetime | None:
        """The stamp of the row, or of one next to it; those before it go first."""
        found = (find_stamp(line, self._near) for line in self._lines_near(row))
        return next((stamp for stamp in found if stamp is not None), None)

    @property
    def first(self) -> datetime | None:
        return self._times_of_marks[0][1] if self._times_of_marks else None

    @property
    def last(self) -> datetime | None:
        return self._times_of_marks[-1][1] if self._times_of_marks else None

    @property
    def span(self) -> StampSpan | None:
        """The first and the last of its times, whichever stands first."""
        if self.first is None or self.last is None:
            return None
        return StampSpan(min(self.first, self.last), max(self.first, self.last))

    @property
    def zone(self) -> tzinfo | None:
        """That of the text's own stamps."""
        return self.first.tzinfo if self.first is not None else None

    @cached_property
    def name_zone(self) -> bool:
        """Whether the stamps say of which zone they are, by the first of them."""
        return bool(self._times_of_marks) and any(map(names_zone, self._lines_near(self._times_of_marks[0][0])))

    def rows_at(self, moment: datetime) -> list[int]:
        """Where the text passes this time: several rows in a text of several logs, none when it does not."""
        if crossed := list(self._rows_at_crossing(moment)):
            return crossed
        ends = ((0, self.first), (len(self._rows) - 1, self.last))
        return [row for row, stamp in ends if stamp is not None and abs(moment - stamp) <= OUTSIDE][:1]

    def moments(self, named: PartialTime) -> Iterator[datetime]:
        """A time that somebody named, on the days of the text when it has no day, in its zone when it has none."""
        if self.span is None:
            return
        begin, end = self.span
        for days in range(1 if named.day else MOST_DAYS):
            moment = named.nearest(begin.astimezone(self.zone) + timedelta(days))
            if moment is not None and begin - OUTSIDE <= moment <= end + OUTSIDE:
                yield moment

    @cached_property
    def _times_of_marks(self) -> list[tuple[int, datetime]]:
        """Rows that stand about equally far apart, with their times. Empty when the first ones have none."""
        rows = [*self._rows.block_rows, len(self._rows) - 1]
        begin = self._with_times(rows[:MOST_WITHOUT])
        return [*begin, *self._with_times(rows[MOST_WITHOUT:])] if begin else []

    def _lines_near(self, row: int) -> Iterator[str]:
        near = chain(range(row, max(row - LOOKED_AT, -1), -1), range(row + 1, min(row + LOOKED_AT, len(self._rows))))
        return map(self._rows.text, near)

    def _with_times(self, rows: Iterable[int]) -> list[tuple[int, datetime]]:
        return [(row, stamp) for row in rows if row < len(self._rows) and (stamp := self.of(row)) is not None]

    def _rows_at_crossing(self, moment: datetime) -> Iterator[int]:
        for (begin, earlier), (end, later) in pairwise(self._times_of_marks):
            if earlier <= moment < later or later <= moment < earlier:
                sign = 1 if earlier <= moment else -1
                yield begin + bisect_left(
                    range(begin, end), sign * moment.timestamp(), key=lambda row: sign * self._seconds_of(row)
                )

    def _seconds_of(self, row: int) -> float:
        stamp = self.of(row)
        return 0.0 if stamp is None else stamp.timestamp()
