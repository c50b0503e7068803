"""Focus of an excerpt: the rows around the alert's start, around times that were named, around changes. Pure."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from tarsy_summary_prompt.row_times import RowTimes
from tarsy_summary_prompt.rows import MOST_RARE, Rows
from tarsy_timestamps.partial_time import PartialTime

BEFORE_ALERT = timedelta(minutes=30)
"""An alert fires minutes after what it is about: rules wait, and causes come before effects."""
AFTER_ALERT = timedelta(minutes=5)
WITHOUT_STAMPS = 500
"""Rows on each side, where the text does not reach so far."""
MOST_NAMED = 8
LEAST_SURPRISE = 20.0
"""A kind that comes evenly begins as late as this one does by a chance of e to the power of minus this."""


@dataclass(frozen=True, slots=True)
class Focus:
    """`near`: about when the text was written. `alert_began`: as the alert says. `came_at`: when the alert came.

    `named`: times that the reader has named, the latest words first.
    """

    near: datetime
    alert_began: datetime | None = None
    came_at: datetime | None = None
    named: Sequence[PartialTime] = ()

    @property
    def start(self) -> datetime | None:
        """When what is investigated began. If the alert has no time, its arrival counts."""
        return self.alert_began or self.came_at


def rows_of_alert(focus: Focus, times: RowTimes) -> list[int]:
    return [] if focus.start is None else times.rows_at(focus.start)


def find_named_rows(focus: Focus, times: RowTimes) -> list[int]:
    named = dict.fromkeys(moment for one in focus.named for moment in times.moments(one))
    return [row for moment in list(named)[:MOST_NAMED] for row in times.rows_at(moment)]


def alert_windows(focus: Focus, times: RowTimes, rows: int) -> list[range]:
    """The rows in which what led to the alert is likely to stand."""
    if focus.start is None:
        return []
    sides = [*times.rows_at(focus.start - BEFORE_ALERT), *times.rows_at(focus.start + AFTER_ALERT)]
    return [_rows_between(sides, row, rows) for row in times.rows_at(focus.start)]


def _rows_between(sides: Sequence[int], row: int, rows: int) -> range:
    before = max((side for side in sides if side < row), default=max(0, row - WITHOUT_STAMPS))
    behind = min((side for side in sides if side > row), default=min(rows, row + WITHOUT_STAMPS))
    return range(before, behind)


def changes(rows: Rows) -> list[int]:
    """Rows where the mix of kinds changes: a frequent kind begins late or ends early. The most surprising first."""
    count = len(rows)
    found: list[tuple[float, int]] = []
    for kind in rows.kinds[1:]:
        if kind.count <= MOST_RARE:
            continue
        begins = -kind.count * math.log1p(-kind.rows[0] / count)
        ends = -kind.count * math.log((kind.last + 1) / count)
        found += [(begins, kind.rows[0]), (ends, kind.last)]
    found.sort(key=lambda one: (-one[0], one[1]))
    return [row for surprise, row in found if surprise >= LEAST_SURPRISE]
