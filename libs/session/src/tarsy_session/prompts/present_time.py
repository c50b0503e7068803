"""The time at which an agent begins. Pure."""

from datetime import UTC, datetime
from string import Template

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

TIME = Template("""\
## Time

You begin on $weekday, $day, at $time UTC.""")


def compose_time(at: datetime) -> str:
    """Belongs to the task, never to the instructions. Instructions are the same in every investigation of an agent, so
    that providers cache them.
    """
    now = at.astimezone(UTC)
    return TIME.substitute(weekday=WEEKDAYS[now.weekday()], day=f"{now:%Y-%m-%d}", time=f"{now:%H:%M}")
