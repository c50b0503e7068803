"""Choice of the rows that an excerpt shows: which orders get which share of the budget. Pure."""

from collections.abc import Iterator, Sequence
from itertools import chain

from tarsy_summary_prompt.focus import Focus, alert_windows, changes, find_named_rows, rows_of_alert
from tarsy_summary_prompt.reports import reports_in_turn, rows_of_reports
from tarsy_summary_prompt.row_orders import (
    alone,
    each_row,
    each_row_within,
    first_of_each,
    more_of_each,
    news_by_rarity,
    passages,
    passages_outward,
    rare_by_rarity,
    trouble_by_weight,
    with_neighbours,
)
from tarsy_summary_prompt.row_times import RowTimes
from tarsy_summary_prompt.rows import Rows
from tarsy_summary_prompt.selection import Selection

PARTS = 16
BEFORE_CHANGE = 6
BEFORE_NEWS = 1
BEFORE_NAMED = 3


def choose(rows: Rows, times: RowTimes, focus: Focus, budget: int) -> Selection:
    """The most that each order gets at first is in sixteenths of the budget; what is left goes round once more."""
    selection, part, count = Selection(rows, budget), budget // PARTS, len(rows)
    windows = alert_windows(focus, times, count)
    news, rare, trouble = news_by_rarity(rows), rare_by_rarity(rows), trouble_by_weight(rows)
    reports = rows_of_reports(rows)
    selection.add_next(range(count), part)
    selection.add_next(range(count - 1, -1, -1), part)
    selection.add(with_neighbours(each_row_within(news, windows), BEFORE_NEWS, count), 3 * part)
    selection.add(alone(each_row(news)), 3 * part)
    selection.add(_rows_around_changes(rows, windows), part)
    selection.add(alone(each_row_within(rare, windows)), part)
    selection.add(first_of_each(rows, trouble), 2 * part)
    selection.add(alone(each_row(rare)), 2 * part)
    selection.add(alone(reports_in_turn(reports, windows)), part)
    near = (rows_of_alert(focus, times), find_named_rows(focus, times))
    kept_back = part + sum(2 * part for found in near if found)
    again = (with_neighbours(each_row(news), BEFORE_NEWS, count), first_of_each(rows, trouble))
    more = (each_row(rare), reports_in_turn(reports, windows), more_of_each(trouble))
    for wanted in (*again, *map(alone, more)):
        selection.add(wanted, selection.left - kept_back)
    for found in near:
        selection.add(chain(alone(found), with_neighbours(found, BEFORE_NAMED, count)), part)
        for row in found:
            selection.add_passages(passages_outward(row, count), part // len(found))
    selection.add_passages(passages(count), selection.left)
    return selection


def _rows_around_changes(rows: Rows, windows: Sequence[range]) -> Iterator[Sequence[int]]:
    """Those near the alert first."""
    found = sorted(changes(rows), key=lambda row: not any(row in window for window in windows))
    return with_neighbours(found, BEFORE_CHANGE, len(rows))
