"""When the digest of a week is due. Pure: time comes in as a parameter."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import get_args
from zoneinfo import ZoneInfo

from tarsy_config.sections.digest_time import DigestTime, Weekday

WEEKDAYS: tuple[Weekday, ...] = get_args(Weekday.__value__)
WEEK = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class DigestSchedule:
    """Once a week, by the clock on the wall. `weekday`: 0 is Monday."""

    weekday: int
    at: time
    time_zone: str

    def last_due(self, now: datetime) -> datetime:
        """The latest moment (UTC) at which a digest was due, `now` included."""
        zone = ZoneInfo(self.time_zone)
        today = now.astimezone(zone).date()
        day = today - timedelta(days=(today.weekday() - self.weekday) % 7)
        due = self._moment_on(day, zone)
        return due if due <= now else self._moment_on(day - WEEK, zone)

    def _moment_on(self, day: date, zone: ZoneInfo) -> datetime:
        return datetime.combine(day, self.at, zone).astimezone(UTC)


def last_day_before(due_at: datetime) -> date:
    """The last whole day (UTC) of the week that a digest tells of."""
    return due_at.astimezone(UTC).date() - timedelta(days=1)


def schedule_of(configured: DigestTime, system_time_zone: str | None) -> DigestSchedule:
    return DigestSchedule(
        weekday=WEEKDAYS.index(configured.day),
        at=time.fromisoformat(configured.at),
        time_zone=configured.time_zone or system_time_zone or "UTC",
    )
