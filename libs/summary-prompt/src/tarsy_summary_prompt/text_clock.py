"""Start of what is investigated by a text's own clock: its stamps may be of another zone, day or year. Pure.

These are tried in turn, and the first that fits is taken. Each has to lead to rows of the text.

1. Zone: stamps without one end half hours away from the call, to the minute.
2. No other clock: the start is among the stamps.
3. Year: the same day and time in the year of the stamps.
4. Days: the stamps end whole days away from the call, to the minute.
5. End: the stamps end a month before the call, or a day after it. Few logs are kept so long: their end is the call's.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from tarsy_summary_prompt.row_times import RowTimes, StampSpan
from tarsy_timestamps.partial_time import PartialTime

TOLERANCE = timedelta(minutes=2)
"""A log that somebody reads ends so little before."""
HALF_HOUR = timedelta(minutes=30)
DAY = timedelta(days=1)
MOST_WEST, MOST_EAST = timedelta(hours=-12), timedelta(hours=14)
"""Zones."""
LONG_BEFORE, LONG_AFTER = timedelta(days=-30), DAY

NO_ZONE = (
    "Its stamps name no zone. They were read as UTC, and the start of what is investigated may be elsewhere in it."
)
SEVERAL_YEARS = (
    "It has the day and time at which what is investigated began in several years: no lines were kept for them."
)


@dataclass(frozen=True, slots=True)
class TextStart:
    """`note` says why `at` is another time than ours, or what is not known; "" where nothing is to be said."""

    at: datetime
    note: str = ""


def locate_start(began: datetime, read_at: datetime, times: RowTimes) -> TextStart:
    """`began` and `read_at` by our clock. A start that fits in several years is not moved."""
    span = times.span
    if span is None:
        return TextStart(began)
    away = span.end - read_at
    return (
        _start_by_zone(began, away, times)
        or _start_by_own_clock(began, away, times)
        or _start_by_year(began, span, times)
        or _start_by_days(began, away, times)
        or _start_by_end(began, away, times)
        or TextStart(began, "" if times.name_zone or not _is_a_zone_away(began, span) else NO_ZONE)
    )


def _start_by_zone(began: datetime, away: timedelta, times: RowTimes) -> TextStart | None:
    zone = _round_to_step(away, HALF_HOUR)
    if times.name_zone or not zone or not MOST_WEST <= zone <= MOST_EAST:
        return None
    if zone < timedelta() and times.rows_at(began):
        # A text may end before it was read, but not after that.
        return None
    hours, minutes = divmod(abs(zone) // timedelta(minutes=1), 60)
    name = f"UTC{'+' if zone > timedelta() else '-'}{hours:02}:{minutes:02}"
    return _start_by_shifted_clock(
        began, zone, times, f"its stamps name no zone, and end with the call if they are of {name}"
    )


def _start_by_own_clock(began: datetime, away: timedelta, times: RowTimes) -> TextStart | None:
    if not times.rows_at(began):
        return None
    return TextStart(began, NO_ZONE if away > HALF_HOUR and not times.name_zone else "")


def _start_by_year(began: datetime, span: StampSpan, times: RowTimes) -> TextStart | None:
    why = "the same day and time in the year of its stamps"
    found = [
        one
        for years in _years_away(began.astimezone(times.zone), span)
        if (one := _start_by_shifted_clock(began, years, times, why))
    ]
    return TextStart(began, SEVERAL_YEARS) if len(found) > 1 else next(iter(found), None)


def _years_away(local: datetime, span: StampSpan) -> list[timedelta]:
    years = range(span.begin.year, span.end.year + 1)
    day = PartialTime(local.time(), day=(local.month, local.day), zone=local.tzinfo)
    moments = (day._replace(year=year).nearest(local) for year in years if year != local.year)
    return [moment - local for moment in moments if moment is not None]


def _start_by_days(began: datetime, away: timedelta, times: RowTimes) -> TextStart | None:
    days = _round_to_step(away, DAY)
    return (
        _start_by_shifted_clock(began, days, times, f"its stamps end {_describe_days(days)} the call, to the minute")
        if days
        else None
    )


def _start_by_end(began: datetime, away: timedelta, times: RowTimes) -> TextStart | None:
    if LONG_BEFORE < away < LONG_AFTER:
        return None
    doubt = ", or it is old" if away < timedelta() else ""
    ends = f"Its stamps end {_describe_days(away)} the call: its clock is another one{doubt}."
    return _start_by_shifted_clock(began, away, times, f"its end was taken for the call. {ends[:-1]}") or TextStart(
        began, ends
    )


def _start_by_shifted_clock(began: datetime, shift: timedelta, times: RowTimes, why: str) -> TextStart | None:
    at = (began + shift).astimezone(times.zone)
    if not times.rows_at(at):
        return None
    return TextStart(at, f"By its own clock, what is investigated began at {at:%Y-%m-%d %H:%M:%S}: {why}.")


def _is_a_zone_away(began: datetime, span: StampSpan) -> bool:
    return span.begin - MOST_EAST <= began <= span.end - MOST_WEST


def _round_to_step(away: timedelta, step: timedelta) -> timedelta | None:
    whole = round(away / step) * step
    return whole if abs(away - whole) <= TOLERANCE else None


def _describe_days(away: timedelta) -> str:
    days = round(abs(away) / DAY)
    return f"{days} {'day' if days == 1 else 'days'} {'before' if away < timedelta() else 'after'}"
