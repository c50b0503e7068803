"""Spans of time: the lines of a text between two times, by their stamps. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from tarsy_results.blocks import Block
from tarsy_results.errors import ResultError
from tarsy_results.line_stamps import find_stamped_lines
from tarsy_results.stamps import Stamp, parse_stamp

EARLIEST = datetime.min.replace(tzinfo=UTC)
LATEST = datetime.max.replace(tzinfo=UTC)
EARLIEST_NEAR = EARLIEST.replace(year=2)
LATEST_NEAR = LATEST.replace(year=9998)
"""A year further is a year, too."""
DAY = re.compile(rb"\d{4}-\d{2}-\d{2}")
MINUTE = re.compile(rb"\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(?: ?(?:[Zz]|[+-]\d{2}:?\d{2}))?")
FRACTION = re.compile(rb"\d{2}:\d{2}:\d{2}[.,](\d{1,9})|^\d{10}\.?(\d{1,9})$")


class InvalidTimeError(ResultError, ValueError):
    """The caller corrects the argument `name`; the message says how."""

    def __init__(self, name: str, problem: str) -> None:
        super().__init__(problem)
        self.name = name


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """From `begin` on, and before `end`. At least one of them is a given time."""

    begin: datetime = EARLIEST
    end: datetime = LATEST

    @property
    def reference(self) -> datetime:
        """The time near which stamps are taken that leave out their year or date."""
        given = self.begin if self.begin > EARLIEST else self.end
        return min(max(given, EARLIEST_NEAR), LATEST_NEAR)

    def holds(self, time: datetime) -> bool:
        return self.begin <= time < self.end


def parse_span(begin: str, end: str) -> TimeSpan | None:
    """None without times. `end` is in the span, with all that it leaves out: a minute, or a day, whole.

    Raises InvalidTimeError.
    """
    if not begin and not end:
        return None
    first = _parse_time(begin, "from") if begin else EARLIEST
    last = _time_after(_parse_time(end, "until"), end) if end else LATEST
    if first >= last:
        raise InvalidTimeError("until", "`until` lies before `from`.")
    return TimeSpan(first, last)


def _parse_time(given: str, name: str) -> datetime:
    written = given.strip().encode(errors="replace")
    stamp = parse_stamp(written + b" 00:00" if DAY.fullmatch(written) else written)
    if stamp is None or stamp.missing != "nothing":
        raise InvalidTimeError(
            name, f"`{name}` is no time that is understood: give a date and a time, such as 2026-11-22T10:05:00Z."
        )
    return stamp.time


def _time_after(time: datetime, given: str) -> datetime:
    written = given.strip().encode()
    try:
        return time + _precision_of(written)
    except OverflowError:
        return LATEST


def _precision_of(written: bytes) -> timedelta:
    if DAY.fullmatch(written):
        return timedelta(days=1)
    if MINUTE.fullmatch(written):
        return timedelta(minutes=1)
    fraction = FRACTION.search(written)
    digits = len(fraction[1] or fraction[2]) if fraction is not None else 0
    return timedelta(microseconds=max(1, 10 ** (6 - digits)))


class SpanFilter:
    """Lets the lines of a span through. One without a stamp belongs to the last one before it that has one.

    `first` and `last` are the stamps that were met, in the order of the text; `has_found`: something lay in the span.
    `has_stamps`: there are some, maybe only in what was skipped.
    """

    def __init__(self, span: TimeSpan, *, inside: bool = False) -> None:
        """`inside`: whether lines before the first stamp belong to the span."""
        self._span = span
        self._inside = inside
        self.first: Stamp | None = None
        self.last: Stamp | None = None
        self.has_found = False
        self.has_stamps = False

    def skip(self, block: Block) -> None:
        """The lines before the place where reading begins say to which time that place belongs."""
        for line in find_stamped_lines(block):
            self.has_stamps = True
            self._inside = self._span.holds(line.stamp.near(self._span.reference))

    def select(self, block: Block) -> list[Block]:
        """The parts of the block that belong to the span, each of whole lines (or parts of a very long one)."""
        parts = list(_cut_into_parts(block, self._find_runs(block)))
        self.has_found = self.has_found or bool(parts)
        return parts

    def _find_runs(self, block: Block) -> Iterator[tuple[int, int]]:
        begin = 0
        for line in find_stamped_lines(block):
            self.has_stamps = True
            self.first, self.last = self.first or line.stamp, line.stamp
            inside = self._span.holds(line.stamp.near(self._span.reference))
            if inside == self._inside:
                continue
            if self._inside and line.start > begin:
                yield begin, line.start
            begin, self._inside = line.start, inside
        if self._inside:
            yield begin, len(block.text)


def _cut_into_parts(block: Block, runs: Iterator[tuple[int, int]]) -> Iterator[Block]:
    at, done = block.at, 0
    for begin, end in runs:
        at = at.after(block.text[done:begin])
        is_rest = end == len(block.text)
        yield Block(block.text[begin:end], at, 0 if begin else min(block.before, end), block.goes_on and is_rest)
        at, done = at.after(block.text[begin:end]), end
