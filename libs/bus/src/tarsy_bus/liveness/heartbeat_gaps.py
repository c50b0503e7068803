"""Outages, as gaps between the stamps of announcements show them: times in which nobody of ours was there. Pure."""

from collections import deque
from datetime import UTC, datetime, timedelta

from tarsy_contracts.timing import GAP_SECONDS

type Outage = tuple[datetime, datetime]
"""Begin and end, by the broker's stamps."""

BEFORE_EVERYTHING = datetime.min.replace(tzinfo=UTC)
GAP = timedelta(seconds=GAP_SECONDS)
MOST_REMEMBERED = 1_000


class Outages:
    """In the order in which they began. Time before the first announcement that is kept is one of them."""

    def __init__(self) -> None:
        self._last: datetime | None = None
        self._found: deque[Outage] = deque(maxlen=MOST_REMEMBERED)

    def note_heartbeat(self, at: datetime) -> None:
        """Somebody was there."""
        if self._last is None:
            self.add(BEFORE_EVERYTHING, at)
        elif at - self._last > GAP:
            self.add(self._last, at)
        self._last = at if self._last is None else max(self._last, at)

    def add(self, begin: datetime, end: datetime) -> None:
        """One that reaches into the last one, or encloses it, makes it longer."""
        while self._found and begin <= self._found[-1][1]:
            last = self._found.pop()
            begin, end = min(begin, last[0]), max(end, last[1])
        self._found.append((begin, end))

    def all(self) -> tuple[Outage, ...]:
        return tuple(self._found)
