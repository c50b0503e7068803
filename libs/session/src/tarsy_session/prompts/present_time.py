"""The time at which an agent begins. Pure."""

from datetime import UTC, datetime
from string import Template

from tarsy_contracts.calendar import Calendar, CalendarMoment, find_moment
from tarsy_session.prompts.pieces import NAME_LIMIT
from tarsy_session.text import to_one_line

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

TIME = Template("""\
## Time

You begin on $weekday, $day, at $time UTC.$calendar""")
CALENDAR = Template(" By the calendar of those who are on call, in $zone, it is $weekday, $day, $time: $kind.$staffed")
STAFFED = {True: " Somebody is on call now.", False: " Nobody is on call now.", None: ""}


def compose_time(at: datetime, calendar: Calendar | None = None) -> str:
    """Belongs to the task, never to the instructions. Instructions are the same in every investigation of an agent, so
    that providers cache them.
    """
    now = at.astimezone(UTC)
    known = "" if calendar is None else _describe(find_moment(calendar, at))
    return TIME.substitute(**_words_of(now), calendar=known)


def _describe(moment: CalendarMoment) -> str:
    holiday = f" ({to_one_line(moment.holiday, NAME_LIMIT)})" if moment.holiday else ""
    return CALENDAR.substitute(
        **_words_of(moment.local),
        zone=moment.time_zone,
        kind=f"{moment.kind.upper()}{holiday}",
        staffed=STAFFED[moment.staffed],
    )


def _words_of(at: datetime) -> dict[str, str]:
    return {"weekday": WEEKDAYS[at.weekday()], "day": f"{at:%Y-%m-%d}", "time": f"{at:%H:%M}"}
