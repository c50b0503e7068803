"""Stamp of a line of a log, in the formats of many makers. Pure, and linear in what is looked at."""

from collections.abc import Iterator
from datetime import datetime
from itertools import islice

from tarsy_timestamps.clock_times import ClockTime, clock_times
from tarsy_timestamps.epochs import NAMES, epoch_at_start, epoch_in_field
from tarsy_timestamps.partial_time import PartialTime

LOOKED_AT = 1_000
"""Characters at the begin of a line. A stamp behind them is not found."""
MOST_CLOCKS = 16
LONGEST_NAME = 40


def find_stamp(line: str | bytes, near: datetime) -> datetime | None:
    """The time that the line was stamped with, aware; None when it has none, or one of a day that does not exist.

    A stamp without a zone is in the zone of `near`, which is aware. A time without a year or a date gets the nearest
    one to `near`. Pass the time at which the log was read, or one inside of it.

    A field named like a stamp ("ts", "time" ...) precedes other times of the line. Otherwise the first time counts that
    has a date or begins the line. Bytes may be in any encoding that holds ASCII.
    """
    found = _find_time(line)
    return found.nearest(near) if isinstance(found, PartialTime) else found


def names_zone(line: str | bytes) -> bool:
    """Whether the line has a stamp with a zone. Seconds since 1970 count as one."""
    found = _find_time(line)
    return found.zone is not None if isinstance(found, PartialTime) else found is not None


def find_times(text: str) -> Iterator[PartialTime]:
    """Every time of day that a text names, with a date or without one, in their order."""
    return (found.time for found in clock_times(text))


def _find_time(line: str | bytes) -> PartialTime | datetime | None:
    head = line[:LOOKED_AT]
    text = head if isinstance(head, str) else head.decode("latin-1")
    if epoch := epoch_at_start(text):
        return epoch
    in_braces = text.startswith("{")
    other: PartialTime | None = None
    for clock in islice(clock_times(text), MOST_CLOCKS):
        name = _read_field_name(text, clock.start)
        if not _is_stamp(text, clock, named=bool(name)):
            continue
        if name in NAMES or (not name and not in_braces):
            return clock.time
        other = other or clock.time
    return epoch_in_field(text) or other


def _is_stamp(text: str, clock: ClockTime, *, named: bool) -> bool:
    """A time of day alone is one at the start of a line only, or in a field."""
    if clock.time.day is not None:
        return True
    return clock.has_seconds and (named or not text[: clock.start].strip(" [("))


def _read_field_name(text: str, start: int) -> str:
    """The name of the field whose value begins there, as in JSON or logfmt; "" where none begins."""
    before = text[max(0, start - LONGEST_NAME) : start].rstrip('" ')
    if not before.endswith(('":', '" :', "=")):
        return ""
    name = before[:-1].rstrip('" ')
    begin = max(name.rfind(one) for one in ' "{,\t(')
    return name[begin + 1 :]
