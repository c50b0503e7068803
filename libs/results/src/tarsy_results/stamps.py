"""Time stamps as logs write them: ISO 8601, klog, syslog, web servers, Java, seconds since 1970. Pure."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Literal

type Missing = Literal["nothing", "year", "date"]

LEAP_YEAR = 2024
"""Stands for the year of a stamp that names none."""
NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
MONTHS = {name: number for number, name in enumerate(NAMES, 1)}

ISO = r"\d{4}[-/]\d{2}[-/]\d{2}[Tt ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?: ?(?:[Zz]|[+-]\d{2}:?\d{2})\b)?"
MONTH = f"(?i:{'|'.join(NAMES)})"
CLOCK = r"\d{2}:\d{2}:\d{2}(?:[.,]\d{1,9})?"
DAY_FIRST = rf"\d{{1,2}}[ /-]{MONTH}[ /-]\d{{4}}[ :]{CLOCK}(?: [+-]\d{{4}}\b)?"
MONTH_FIRST = rf"{MONTH} {{1,2}}\d{{1,2}}(?:, \d{{4}})? {CLOCK}(?: [AP]M\b)?(?:(?: [A-Z]{{3,4}})? \d{{4}}\b)?"
KLOG = rf"\b[IWEF]\d{{4}} {CLOCK}"
EPOCH = r"1\d{9}(?:\d{3}|\d{6}|\d{9}|\.\d{1,9})?\b"


@dataclass(frozen=True, slots=True)
class Stamp:
    """`text` is how it is written; of seconds since 1970 it is ISO 8601. Without a zone it is taken for UTC.

    `missing`: what it leaves out, and what `time` therefore has from us.
    """

    text: str
    time: datetime
    missing: Missing = "nothing"

    def near(self, reference: datetime) -> datetime:
        """The time, with what is missing chosen so that it lies nearest to the reference."""
        if self.missing == "nothing":
            return self.time
        if self.missing == "year":
            choices = [_move_to_year(self.time, reference.year + years) for years in (-1, 0, 1)]
        else:
            day = datetime.combine(reference.date(), self.time.time(), UTC)
            choices = [day + timedelta(days=days) for days in (-1, 0, 1)]
        return min(choices, key=lambda time: abs(time - reference))


def parse_stamp(text: bytes) -> Stamp | None:
    """The stamp that the whole text is; None if it is none."""
    written = text.decode(errors="replace")
    for form, read in FORMS:
        found = form.fullmatch(written)
        if found is not None:
            try:
                return read(written, found)
            except (ValueError, OverflowError):
                # Month 13, and the like.
                return None
    return None


def _iso_stamp(text: str, found: "re.Match[str]") -> Stamp:
    day, clock, zone = found["day"], found["clock"], found["zone"] or ""
    return Stamp(text, _to_utc(datetime.fromisoformat(f"{day.replace('/', '-')}T{clock}{zone}")))


def _day_first_stamp(text: str, found: "re.Match[str]") -> Stamp:
    day = date(int(found["year"]), MONTHS[found["month"].lower()], int(found["of_month"]))
    return Stamp(text, _to_utc(datetime.fromisoformat(f"{day}T{found['clock']}{found['zone'] or ''}")))


def _month_first_stamp(text: str, found: "re.Match[str]") -> Stamp:
    year = found["year"] or found["last_year"]
    day = date(int(year or LEAP_YEAR), MONTHS[found["month"].lower()], int(found["of_month"]))
    time = _to_utc(datetime.fromisoformat(f"{day}T{found['clock']}"))
    if found["half"]:
        time = time.replace(hour=time.hour % 12 + (12 if found["half"] == "PM" else 0))
    return Stamp(text, time, "nothing" if year else "year")


def _klog_stamp(text: str, found: "re.Match[str]") -> Stamp:
    day = date(LEAP_YEAR, int(found["month"]), int(found["of_month"]))
    return Stamp(text, _to_utc(datetime.fromisoformat(f"{day}T{found['clock']}")), "year")


def _epoch_stamp(text: str, found: "re.Match[str]") -> Stamp:
    whole, rest = found["seconds"], found["rest"].lstrip(".")
    time = datetime.fromtimestamp(int(whole), UTC) + timedelta(microseconds=int(rest.ljust(6, "0")[:6]))
    return Stamp(time.isoformat(timespec="milliseconds").replace("+00:00", "Z"), time)


def _clock_stamp(text: str, found: "re.Match[str]") -> Stamp:
    return Stamp(text, _to_utc(datetime.fromisoformat(f"{LEAP_YEAR}-01-01T{found['clock']}")), "date")


def _to_utc(time: datetime) -> datetime:
    return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)


def _move_to_year(time: datetime, year: int) -> datetime:
    """29 February becomes 1 March where there is none."""
    if (time.month, time.day) == (2, 29):
        return datetime.combine(date(year, 2, 28) + timedelta(days=1), time.time(), UTC)
    return time.replace(year=year)


FORMS: tuple[tuple["re.Pattern[str]", Callable[[str, "re.Match[str]"], Stamp]], ...] = (
    (
        re.compile(
            r"(?P<day>\d{4}[-/]\d{2}[-/]\d{2})[Tt ](?P<clock>\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?)"
            r" ?(?P<zone>[Zz]|[+-]\d{2}:?\d{2})?"
        ),
        _iso_stamp,
    ),
    (re.compile(r"(?P<seconds>1\d{9})(?P<rest>|\d{3}|\d{6}|\d{9}|\.\d{1,9})"), _epoch_stamp),
    (re.compile(rf"[IWEF](?P<month>\d\d)(?P<of_month>\d\d) (?P<clock>{CLOCK})"), _klog_stamp),
    (
        re.compile(
            rf"(?P<of_month>\d+)[ /-](?P<month>{MONTH})[ /-](?P<year>\d{{4}})[ :](?P<clock>{CLOCK})"
            r" ?(?P<zone>[+-]\d{4})?"
        ),
        _day_first_stamp,
    ),
    (
        re.compile(
            rf"(?P<month>{MONTH}) +(?P<of_month>\d+)(?:, (?P<year>\d{{4}}))? (?P<clock>{CLOCK})(?: (?P<half>[AP]M))?"
            r"(?:(?: [A-Z]{3,4})? (?P<last_year>\d{4}))?"
        ),
        _month_first_stamp,
    ),
    (re.compile(rf"(?P<clock>{CLOCK})"), _clock_stamp),
)
