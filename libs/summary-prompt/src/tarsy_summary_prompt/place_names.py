"""Names of places in a text: times where it has stamps, else numbers of lines. Pure."""

from tarsy_summary_prompt.row_times import RowTimes
from tarsy_summary_prompt.rows import Rows


class PlaceNames:
    """`lines_are_exact` is False where the rows' lines are not those of the text: a very long one was divided."""

    def __init__(self, rows: Rows, times: RowTimes, *, lines_are_exact: bool) -> None:
        self._rows = rows
        self._times = times
        self._exact = lines_are_exact
        first, last = times.first, times.last
        same_day = first is not None and last is not None and first.date() == last.date()
        self._format = "%H:%M:%S" if same_day else "%Y-%m-%d %H:%M:%S"

    def of(self, row: int) -> str:
        """Where the row begins."""
        return self.time(row) or self.line(self._rows.first_line(row))

    def span(self, first: int, last: int) -> str:
        begin, end = self.of(first), self.of(last)
        return begin if begin == end else f"{begin} to {end}"

    def time(self, row: int) -> str:
        """ "" in a text without stamps."""
        stamp = None if self._times.first is None else self._times.of(row)
        return "" if stamp is None else stamp.strftime(self._format)

    def line(self, number: int) -> str:
        """Counted from 0, as the tool counts with which results are read."""
        return f"line {number}" if self._exact else f"{100 * number // max(self._rows.lines, 1)} %"
