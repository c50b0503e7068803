"""Working calendar of a plan: which days are holidays, and when a team is on call. Pure.

Zones are those of the machine, or of the package tzdata where it has none. Their answer for an event stands on the log.
"""

from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import Field

from tarsy_contracts.wire.message import Value
from tarsy_contracts.wire.numbers import Count

type DayKind = Literal["weekday", "weekend", "holiday"]

SATURDAY = 5
MIDNIGHT = "24:00"


class Holiday(Value):
    """`day`: such as 2026-12-25, or 12-25 for that of every year."""

    day: str
    name: str


class OnCallHours(Value):
    """Hours of some days, of which 0 is Monday. They end on the next day where `end` is not behind `begin`.

    Such hours of a day that is a holiday count only with `on_holidays`.
    """

    days: tuple[Count, ...]
    begin: str
    end: str
    on_holidays: bool = False


class TeamCalendar(Value):
    """`hours`: when somebody is on call; without any, nobody knows."""

    time_zone: str = "UTC"
    hours: tuple[OnCallHours, ...] = ()


class Calendar(Value):
    """`teams`: by the value that an alert has of the label `team_label`; `general` is for all others."""

    holidays: tuple[Holiday, ...] = ()
    general: TeamCalendar = TeamCalendar()
    team_label: str = "team"
    teams: dict[str, TeamCalendar] = Field(default_factory=dict)

    def for_labels(self, labels: Mapping[str, str]) -> "Calendar":
        """With the one team that an alert of these labels is for."""
        own = self.teams.get(labels.get(self.team_label, "").casefold())
        return self.model_copy(update={"general": own or self.general, "teams": {}})


class CalendarMoment(Value):
    """A time as the calendar of its team has it. `staffed`: whether somebody is on call; None where nothing says."""

    kind: DayKind
    time_zone: str
    local: datetime
    holiday: str = ""
    staffed: bool | None = None

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels of a session that begins then."""
        staffed = {True: ("staffed",), False: ("unstaffed",), None: ()}[self.staffed]
        return (self.kind, *staffed)


def find_moment(calendar: Calendar, at: datetime) -> CalendarMoment:
    """`calendar`: of one team, as `for_labels` returns it."""
    team = calendar.general
    local = at.astimezone(_find_zone(team.time_zone))
    holiday = _holiday_of(calendar, local.date())
    weekend = local.weekday() >= SATURDAY
    return CalendarMoment(
        kind="holiday" if holiday else "weekend" if weekend else "weekday",
        time_zone=team.time_zone,
        local=local.replace(tzinfo=None),
        holiday=holiday,
        staffed=any(_covers(calendar, hours, local) for hours in team.hours) if team.hours else None,
    )


def _find_zone(name: str) -> tzinfo:
    """A plan may name a zone that this machine does not know (any longer): its session must not end there."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return UTC


def _holiday_of(calendar: Calendar, day: date) -> str:
    texts = (day.isoformat(), f"{day:%m-%d}")
    return next((one.name for one in calendar.holidays if one.day in texts), "")


def _covers(calendar: Calendar, hours: OnCallHours, local: datetime) -> bool:
    """By the clock on the wall: an hour that it skips is nobody's, and one that comes twice counts twice."""
    now, today = local.time().replace(tzinfo=None), local.date()
    begin, end = time.fromisoformat(hours.begin), read_end(hours.end)
    if end is None:
        return now >= begin and _counts(calendar, hours, today)
    if begin < end:
        return begin <= now < end and _counts(calendar, hours, today)
    if now >= begin:
        return _counts(calendar, hours, today)
    return now < end and _counts(calendar, hours, today - timedelta(days=1))


def read_end(text: str) -> time | None:
    """None for the end of the day."""
    return None if text == MIDNIGHT else time.fromisoformat(text)


def _counts(calendar: Calendar, hours: OnCallHours, day: date) -> bool:
    return day.weekday() in hours.days and (hours.on_holidays or not _holiday_of(calendar, day))
