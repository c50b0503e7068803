"""Times of day in a text, with the date before them and the zone after them. Pure, and linear in the text.

Every format has `10:00:01` in it: one search finds those, and the few characters beside each say the rest.
"""

import re
from collections.abc import Callable, Iterator
from datetime import UTC, time, timedelta, timezone, tzinfo
from types import MappingProxyType
from typing import NamedTuple

from tarsy_timestamps.partial_time import PartialTime

CLOCK = re.compile(
    r"(?<![0-9])([01][0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9]|60)(?:[.,]([0-9]{1,9}))?)?(?![0-9]|:[0-9])"
)
ZONE = re.compile(r" ?(?:(Z\b)|([+-])([01][0-9]):?([0-5][0-9])(?![0-9])|([A-Z]{3,4}\b))|([+-])([01][0-9])(?![0-9:])")
YEAR = "((?:19|20)[0-9]{2})"
YEAR_AFTER = re.compile(f" {YEAR}(?![0-9])")
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
MONTH = f"({'|'.join(MONTHS)})"
MONTH_NUMBERS = MappingProxyType({name: number for number, name in enumerate(MONTHS, 1)})
ZONE_HOURS = MappingProxyType(
    {"UTC": 0, "GMT": 0, "CET": 1, "CEST": 2, "EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6}
    | {"PST": -8, "PDT": -7}
)
"""Those of RFC 5322, and of Central Europe. Other names are not unique, and say nothing here."""

type Date = tuple[int | None, int, int]


class ClockTime(NamedTuple):
    """`start` is where the date begins, or the time of day when there is none."""

    start: int
    time: PartialTime
    has_seconds: bool


class DateFormat(NamedTuple):
    """`length` of what stands directly before the time of day."""

    length: int
    pattern: re.Pattern[str]
    read: Callable[[re.Match[str]], Date]


def _date_numbers(found: re.Match[str]) -> Date:
    return int(found[1]), int(found[2]), int(found[3])


DATE_FORMATS = (
    # ISO 8601; Go, nginx's errors: 2026/11/23
    DateFormat(11, re.compile(YEAR + r"[-/.]([0-9]{2})[-/.]([0-9]{2})[T t_]"), _date_numbers),
    # Syslog: `Nov 23 `, and ctime with the year behind.
    DateFormat(7, re.compile(MONTH + r" ([ 0-3][0-9]) "), lambda found: (None, MONTH_NUMBERS[found[1]], int(found[2]))),
    # nginx and Apache: 23/Nov/2026: ; Redis and mails: 23 Nov 2026
    DateFormat(
        12,
        re.compile(r"([ 0-3][0-9])[/ -]" + MONTH + r"[/ -]" + YEAR + r"[: T]"),
        lambda found: (int(found[3]), MONTH_NUMBERS[found[2]], int(found[1])),
    ),
    # klog: I1123
    DateFormat(6, re.compile(r"[A-Z]([0-9]{2})([0-9]{2}) "), lambda found: (None, int(found[1]), int(found[2]))),
    # glog, and compact dates: 20261123
    DateFormat(9, re.compile(YEAR + r"([0-9]{2})([0-9]{2})[ T-]"), _date_numbers),
    # 23.11.2026
    DateFormat(
        11,
        re.compile(r"([0-9]{2})\.([0-9]{2})\." + YEAR + " "),
        lambda found: (int(found[3]), int(found[2]), int(found[1])),
    ),
)


def clock_times(text: str) -> Iterator[ClockTime]:
    """All of them, in their order."""
    for found in CLOCK.finditer(text):
        hour, minute, second, fraction = found.groups()
        # A leap second is that before it.
        at = time(int(hour), int(minute), min(int(second or 0), 59), int(f"{fraction or 0:0<6}"[:6]))
        start, day = _find_date_before(text, found.start())
        zone, end = _read_zone_after(text, found.end())
        year = None
        if day is not None:
            year = day[0] if day[0] is not None else _read_year_after(text, end)
        month_and_day = None if day is None else (day[1], day[2])
        yield ClockTime(start, PartialTime(at, year, month_and_day, zone), second is not None)


def _find_date_before(text: str, end: int) -> tuple[int, Date | None]:
    for length, pattern, read in DATE_FORMATS:
        if end >= length and (found := pattern.match(text, end - length, end)):
            return end - length, read(found)
    return end, None


def _read_zone_after(text: str, start: int) -> tuple[tzinfo | None, int]:
    """The zone, and where it ends."""
    found = ZONE.match(text, start)
    if found is None:
        return None, start
    zulu, sign, hours, minutes, name, short_sign, short_hours = found.groups()
    if zulu:
        return UTC, found.end()
    if name:
        known = ZONE_HOURS.get(name)
        return (None, start) if known is None else (timezone(timedelta(hours=known)), found.end())
    offset = timedelta(hours=int(hours or short_hours), minutes=int(minutes or 0))
    return timezone(-offset if (sign or short_sign) == "-" else offset), found.end()


def _read_year_after(text: str, start: int) -> int | None:
    found = YEAR_AFTER.match(text, start)
    return int(found[1]) if found else None
