"""Stretches that an excerpt divides a text into: rows that are shown, stretches that are folded, gaps. Pure."""

from collections.abc import Iterable, Iterator
from enum import Enum
from typing import NamedTuple

from tarsy_summary_prompt.selection import Selection


class Treatment(Enum):
    SHOWN = "shown"
    FOLDED = "folded"
    LEFT_OUT = "left out"


class Stretch(NamedTuple):
    """Rows from `first` to before `end`."""

    first: int
    end: int
    treatment: Treatment


def divide(selection: Selection, count: int) -> Iterator[Stretch]:
    """All `count` rows, ascending. Each row that is shown is a stretch of its own."""
    reached = 0
    for kept in _kept_stretches(selection):
        if kept.first > reached:
            yield Stretch(reached, kept.first, Treatment.LEFT_OUT)
        yield kept
        reached = kept.end
    if reached < count:
        yield Stretch(reached, count, Treatment.LEFT_OUT)


def _kept_stretches(selection: Selection) -> Iterable[Stretch]:
    shown = (Stretch(row, row + 1, Treatment.SHOWN) for row in selection.chosen)
    folded = (Stretch(first, end, Treatment.FOLDED) for first, end in selection.folds)
    return sorted((*shown, *folded), key=lambda one: one.first)
