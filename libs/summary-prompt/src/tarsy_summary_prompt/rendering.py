"""Rendering of an excerpt: its rows, and marks for what stands between them. Pure."""

from collections.abc import Iterator, Sequence

from tarsy_summary_prompt.kind_table import KindTable
from tarsy_summary_prompt.place_names import PlaceNames
from tarsy_summary_prompt.rows import Rows, more_like_this
from tarsy_summary_prompt.stretches import Stretch, Treatment

DETAIL_BYTES = 100
"""That a mark takes more when it has times and counts."""
LEAST_WITH_DETAIL = 10
"""Rows. The lines beside a shorter gap say as much."""


def render(
    rows: Rows, stretches: Sequence[Stretch], names: PlaceNames, table: KindTable, details: int
) -> Iterator[str]:
    """`details`: so many gaps, the longest, have their times and counts."""
    longest = sorted((one for one in stretches if one.treatment is Treatment.LEFT_OUT), key=_length_of, reverse=True)
    detailed = {one.first for one in longest[:details] if _length_of(one) >= LEAST_WITH_DETAIL}
    for one in stretches:
        lines = rows.first_line(one.end) - rows.first_line(one.first)
        match one.treatment:
            case Treatment.SHOWN:
                yield rows.text(one.first) + more_like_this(lines)
            case Treatment.FOLDED:
                counts = table.count(one.first, one.end)
                until = names.of(one.end - 1)
                yield _render_mark(f"{lines} more lines that alternate like those above, until {until}", counts)
            case Treatment.LEFT_OUT if one.first in detailed:
                span = names.span(one.first, one.end - 1)
                yield _render_mark(f"{lines} lines left out, {span}", table.count(one.first, one.end))
            case Treatment.LEFT_OUT:
                yield _render_mark(f"{lines} lines left out", "")


def _length_of(one: Stretch) -> int:
    return one.end - one.first


def _render_mark(text: str, counts: str) -> str:
    return f"[{text}: {counts}]" if counts else f"[{text}]"
