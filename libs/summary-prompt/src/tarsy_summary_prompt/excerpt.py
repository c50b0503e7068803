"""Excerpt of a long text: short enough for a model, without losing the line that matters. Pure.

Linear in the text, whatever it holds, and in little memory: the storm of alerts that calls for summaries brings many
long results at once.
"""

import codecs
from dataclasses import dataclass, replace
from datetime import datetime

from tarsy_summary_prompt.choice import choose
from tarsy_summary_prompt.coverage import Coverage, coverage_of
from tarsy_summary_prompt.focus import Focus
from tarsy_summary_prompt.kind_table import KindTable
from tarsy_summary_prompt.line_splitter import LineSplitter
from tarsy_summary_prompt.place_names import PlaceNames
from tarsy_summary_prompt.readable_times import SHARE_OF_TIMES, has_epochs, with_readable_times
from tarsy_summary_prompt.rendering import DETAIL_BYTES, render
from tarsy_summary_prompt.row_times import RowTimes
from tarsy_summary_prompt.rows import Rows
from tarsy_summary_prompt.selection import MARK_BYTES, select_all
from tarsy_summary_prompt.stretches import divide
from tarsy_summary_prompt.text_clock import locate_start

LEAST_BUDGET = 1_000
SHARE_OF_TABLE = 16
SHARE_OF_DETAILS = 16
BLOCK_CHARACTERS = 64 * 1024
"""Taken at a time. The objects of its lines are small and gone before the next block."""


@dataclass(frozen=True, slots=True)
class ExcerptText:
    """`kinds` counts the kinds of lines of the whole text; "" when `text` is the whole.

    `alert_began`: as the focus has it. `clock`: a note about the text's own clock, where it is another one than ours,
    or may be.
    """

    text: str
    kinds: str
    coverage: Coverage
    alert_began: datetime | None = None
    clock: str = ""


class Excerpt:
    """Takes a text of UTF-8 piece by piece.

    Keeps at most `budget_bytes` (at least LEAST_BUDGET). Kept are lines around the focus and around changes, head and
    tail, lines of errors, rare lines, and passages from all parts. Runs of alike lines are collapsed,
    and so are kinds that alternate. Marks in square brackets say what was left out: how much, and from when to when.
    Numbers that count since 1970 have a readable time beside them, also in a text that fits.
    """

    def __init__(self, budget_bytes: int, focus: Focus) -> None:
        assert budget_bytes >= LEAST_BUDGET
        self._budget = budget_bytes
        self._focus = focus
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._splitter = LineSplitter()
        self._rows = Rows()
        self._short: list[str] = []
        """The whole text, while it fits."""
        self._size = 0
        self._lines = 0
        """Line breaks that the text's own count of lines is made of."""
        self._ends_in_line = False

    def take(self, piece: bytes) -> None:
        for start in range(0, len(piece), BLOCK_CHARACTERS):
            self._take_text(self._decoder.decode(piece[start : start + BLOCK_CHARACTERS]))

    def finish(self) -> ExcerptText:
        """The excerpt, when there are no more pieces."""
        self._take_text(self._decoder.decode(b"", final=True))
        lines = self._lines + self._ends_in_line
        if self._size <= self._budget:
            text = self._with_readable_times("".join(self._short), self._budget - self._size)
            return ExcerptText(text, "", Coverage(lines=lines, lines_read=lines), self._focus.alert_began)
        self._rows.take(self._splitter.rest())
        self._rows.finish()
        times = RowTimes(self._rows, self._focus.near)
        names = PlaceNames(self._rows, times, lines_are_exact=lines == self._rows.lines)
        return self._make_excerpt(times, names)

    def _make_excerpt(self, times: RowTimes, names: PlaceNames) -> ExcerptText:
        rows, kept_back = self._rows, self._budget // SHARE_OF_TIMES if has_epochs(self._rows, self._focus.near) else 0
        budget = self._budget - MARK_BYTES - kept_back
        fits = sum(rows.costs) <= budget
        table = KindTable(rows, names, 0 if fits else budget // SHARE_OF_TABLE)
        details = budget // SHARE_OF_DETAILS // DETAIL_BYTES
        capacity = budget - table.size - details * DETAIL_BYTES
        focus, clock = self._focus_by_clock_of(times)
        chosen = select_all(rows) if fits else choose(rows, times, focus, capacity)
        stretches = list(divide(chosen, len(rows)))
        text = self._with_readable_times("\n".join(render(rows, stretches, names, table, details)), kept_back)
        return ExcerptText(text, table.text, coverage_of(rows, stretches, names), self._focus.alert_began, clock)

    def _focus_by_clock_of(self, times: RowTimes) -> tuple[Focus, str]:
        focus = self._focus
        if focus.start is None:
            return focus, ""
        start = locate_start(focus.start, focus.near, times)
        return replace(focus, alert_began=start.at), start.note

    def _with_readable_times(self, text: str, budget: int) -> str:
        return with_readable_times(text, self._focus.near, min(budget, self._budget // SHARE_OF_TIMES))

    def _take_text(self, text: str) -> None:
        if not text:
            return
        fitted = self._size <= self._budget
        self._size += len(text) if text.isascii() else len(text.encode())
        self._lines += text.count("\n")
        self._ends_in_line = not text.endswith("\n")
        if fitted:
            self._short.append(text)
        if self._size > self._budget:
            for block in self._short or (text,):
                self._rows.take(self._splitter.take(block))
            self._short = []
