"""`notifications.NAME.digest`: when a receiver is sent the digest of a week."""

import re
from typing import Annotated, Literal

from pydantic import BeforeValidator

from tarsy_config.sections.calendar import TimeZone
from tarsy_config.values import Section, wrong

type Weekday = Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

TIME_OF_DAY = re.compile(r"([01]\d|2[0-3]):[0-5]\d")


def require_time_of_day(value: object) -> str:
    """YAML reads `10:30` without quotes as a number."""
    if not isinstance(value, str) or TIME_OF_DAY.fullmatch(value) is None:
        raise wrong("is not a time of day", 'write it in quotes, from "00:00" to "23:59"')
    return value


type TimeOfDay = Annotated[str, BeforeValidator(require_time_of_day)]


class DigestTime(Section):
    """By the clock on the wall of `time_zone`; without one, of that of `system`."""

    day: Weekday = "monday"
    at: TimeOfDay = "09:00"
    time_zone: TimeZone | None = None
