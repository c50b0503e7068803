"""`system.holidays`, `system.time_zone` and `system.on_call`: which days are holidays, and when a team is on call."""

import datetime
import re
from typing import Annotated
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AfterValidator, BeforeValidator, Field

from tarsy_config.values import Name, Section, wrong
from tarsy_contracts.calendar import Calendar, Holiday, OnCallHours, TeamCalendar

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
WORKDAYS = (0, 1, 2, 3, 4)
HOURS = re.compile(r"([01]\d|2[0-3]):([0-5]\d)-(([01]\d|2[0-3]):([0-5]\d)|24:00)")
DATE = re.compile(r"(\d{4}-)?\d{2}-\d{2}")
LEAP_YEAR = "2024-"
REMEDY_DATE = "write it as 12-25, or as 2026-12-25 for that year only"
MOST_HOLIDAYS = 500
MOST_TEAMS = 200
MOST_HOURS = 20
REMEDY_DAYS = "write days such as mon-fri, or a list of them"


def read_days(value: object) -> object:
    """`mon-fri`, `sat`, or a list of such, as the numbers of days."""
    parts = value if isinstance(value, list | tuple) else (value,)
    return tuple(sorted({number for part in parts for number in _days_of(part)}))


def _days_of(part: object) -> tuple[int, ...]:
    begin, _, end = part.casefold().partition("-") if isinstance(part, str) else ("", "", "")
    if begin not in DAYS or (end or begin) not in DAYS:
        raise wrong("names no days", REMEDY_DAYS)
    first, last = DAYS.index(begin), DAYS.index(end or begin)
    return tuple(number % 7 for number in range(first, last + 1 if last >= first else last + 8))


def require_hours(value: str) -> str:
    begin, _, end = value.partition("-")
    if HOURS.fullmatch(value) is None or begin == end:
        raise wrong("are not hours", "write them as 08:00-18:00; 22:00-06:00 ends on the next day")
    return value


def require_time_zone(value: str) -> str:
    try:
        ZoneInfo(value)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise wrong("is not a time zone", "write a name of the IANA database, such as Europe/Prague") from None
    return value


def read_date(value: object) -> str:
    """As Go TARSy has it: month and day, with a year or for every one; YAML may have read a date."""
    if isinstance(value, datetime.date) and not isinstance(value, datetime.datetime):
        return value.isoformat()
    if not isinstance(value, str) or DATE.fullmatch(value) is None:
        raise wrong("is not a date", REMEDY_DATE)
    try:
        datetime.date.fromisoformat(value if len(value) > len("12-25") else f"{LEAP_YEAR}{value}")
    except ValueError:
        raise wrong("is not a day of the calendar", REMEDY_DATE) from None
    return value


type Days = Annotated[tuple[int, ...], BeforeValidator(read_days)]
type Hours = Annotated[str, AfterValidator(require_hours)]
type TimeZone = Annotated[str, AfterValidator(require_time_zone)]
type Date = Annotated[str, BeforeValidator(read_date)]


class HolidayConfig(Section):
    date: Date
    name: Name


class Shift(Section):
    """`hours`: by the clock on the wall. A holiday has none, unless `on_holidays` says so."""

    days: Days = WORKDAYS
    hours: Hours = "00:00-24:00"
    on_holidays: bool = False

    def to_hours(self) -> OnCallHours:
        begin, _, end = self.hours.partition("-")
        return OnCallHours(days=self.days, begin=begin, end=end, on_holidays=self.on_holidays)


class TeamOnCall(Section):
    """Without a `time_zone`, that of `system`."""

    time_zone: TimeZone | None = None
    shifts: tuple[Shift, ...] = Field((), max_length=MOST_HOURS)

    def to_team(self, time_zone: str) -> TeamCalendar:
        return TeamCalendar(
            time_zone=self.time_zone or time_zone, hours=tuple(shift.to_hours() for shift in self.shifts)
        )


class OnCall(TeamOnCall):
    """`team_label`: the label of alerts that names a team. `teams`: by its value, instead of what holds for all."""

    team_label: Name = "team"
    teams: dict[Name, TeamOnCall] = Field(default_factory=dict, max_length=MOST_TEAMS)


def to_calendar(holidays: tuple[HolidayConfig, ...], time_zone: str | None, on_call: OnCall | None) -> Calendar | None:
    """None where nothing is configured: then no agent hears of it."""
    if not holidays and time_zone is None and on_call is None:
        return None
    zone, general = time_zone or "UTC", on_call or OnCall()
    return Calendar(
        holidays=tuple(Holiday(day=one.date, name=one.name) for one in holidays),
        general=general.to_team(zone),
        team_label=general.team_label.lower(),
        teams={name.casefold(): team.to_team(zone) for name, team in general.teams.items()},
    )
