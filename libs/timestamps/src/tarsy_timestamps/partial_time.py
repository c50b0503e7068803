"""Time of day as a text has it: the date, the year and the zone may be missing. Pure."""

from collections.abc import Iterator
from datetime import date, datetime, time, timedelta, tzinfo
from typing import NamedTuple

LEAP_YEARS_APART = 8
"""At most: 1896 and 1904."""


class PartialTime(NamedTuple):
    """`at` is naive. `day` is None where the text has no date, `year` where its date has none."""

    at: time
    year: int | None = None
    day: tuple[int, int] | None = None
    """Month and day."""
    zone: tzinfo | None = None

    def nearest(self, near: datetime) -> datetime | None:
        """The moment that is meant; None when there is no such day.

        A missing zone is that of `near`. A missing year or day is the one that brings the time nearest to `near`.
        """
        zone = self.zone or near.tzinfo
        if self.day is not None and self.year is not None:
            return _moment_or_none(self.year, self.day, self.at, zone)
        around = near.astimezone(zone)
        possible = self._times_in_years(around, zone) if self.day is not None else self._times_on_days(around, zone)
        return min(possible, key=lambda moment: abs(moment - near), default=None)

    def _times_in_years(self, around: datetime, zone: tzinfo | None) -> Iterator[datetime]:
        assert self.day is not None
        # The 29th of February is in few years only.
        apart = LEAP_YEARS_APART if self.day == (2, 29) else 1
        for year in range(around.year - apart, around.year + apart + 1):
            if (moment := _moment_or_none(year, self.day, self.at, zone)) is not None:
                yield moment

    def _times_on_days(self, around: datetime, zone: tzinfo | None) -> Iterator[datetime]:
        for days in (-1, 0, 1):
            yield datetime.combine(around.date() + timedelta(days), self.at, zone)


def _moment_or_none(year: int, day: tuple[int, int], at: time, zone: tzinfo | None) -> datetime | None:
    try:
        return datetime.combine(date(year, *day), at, zone)
    except ValueError:
        return None
