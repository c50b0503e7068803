"""Coverage of an excerpt: how much of the text its reader has read, and the longest spans that were left out. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from tarsy_summary_prompt.place_names import PlaceNames
from tarsy_summary_prompt.rows import Rows
from tarsy_summary_prompt.stretches import Stretch, Treatment

MOST_SPANS = 6


@dataclass(frozen=True, slots=True)
class Coverage:
    """`spans` are the longest ones that were left out, in the order of the text, each as lines and times.

    `begins` and `ends` are the times of the first and the last line, "" without stamps.
    """

    lines: int
    lines_read: int
    spans: tuple[str, ...] = ()
    begins: str = ""
    ends: str = ""

    @property
    def is_whole(self) -> bool:
        return self.lines_read == self.lines


def coverage_of(rows: Rows, stretches: Sequence[Stretch], names: PlaceNames) -> Coverage:
    """Lines of runs, and of kinds that alternate, count as read: the excerpt says how many they are."""
    gaps = [one for one in stretches if one.treatment is Treatment.LEFT_OUT]
    left_out = sum(_count_lines(rows, gap) for gap in gaps)
    longest = sorted(gaps, key=lambda gap: -_count_lines(rows, gap))[:MOST_SPANS]
    return Coverage(
        lines=rows.lines,
        lines_read=rows.lines - left_out,
        spans=tuple(_describe_gap(rows, gap, names) for gap in sorted(longest)),
        begins=names.time(0),
        ends=names.time(len(rows) - 1),
    )


def _count_lines(rows: Rows, gap: Stretch) -> int:
    return rows.first_line(gap.end) - rows.first_line(gap.first)


def _describe_gap(rows: Rows, gap: Stretch, names: PlaceNames) -> str:
    first, last = rows.first_line(gap.first), rows.first_line(gap.end) - 1
    lines = f"{names.line(first)} to {names.line(last)}"
    times = names.time(gap.first) and f" ({names.span(gap.first, gap.end - 1)})"
    return lines + times
