"""Downtime that counts against no deadline: outages and the grace after them. Pure.

A call cannot end while nobody can report, claim or be granted, so this time is taken out of its time. The same holds
for iterations and sessions: their limits end what goes on for too long, not what an outage held up.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from tarsy_contracts.timing import GAP_SECONDS, GRACE_SECONDS

LONGEST_UNKNOWN = timedelta(seconds=GAP_SECONDS)
"""The owner counts as alive up to its last announcement that came back, and for so long after it."""
GRACE = timedelta(seconds=GRACE_SECONDS)
"""Time after an outage in which reports of workers come first."""
NEVER = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Downtime:
    """`outages` in their order, each with begin and end. `known_until`: None when all is known."""

    outages: Sequence[tuple[datetime, datetime]] = ()
    known_until: datetime | None = None

    def has_passed(self, since: datetime, deadline: datetime, at: datetime) -> bool:
        """Whether, at `at`, a deadline is over whose time has run since `since`."""
        if self.known_until is not None and at - self.known_until > LONGEST_UNKNOWN:
            at = self.known_until
        return at >= deadline and at - self._lost_time(since, at) >= deadline

    def postpone(self, since: datetime, deadline: datetime) -> datetime:
        """Returns the deadline as it is with the outages that are known now."""
        last = max((end for _, end in self.outages), default=since) + GRACE
        return deadline + self._lost_time(since, max(since, last))

    def _lost_time(self, since: datetime, until: datetime) -> timedelta:
        """Waits that began after an outage have no part in its grace: a cancelled session ends as soon as ever."""
        lost, counted = timedelta(), since
        for begin, end in self.outages:
            if end <= since:
                continue
            begin, end = max(begin, counted), min(end + GRACE, until)
            if begin < end:
                lost += end - begin
                counted = end
        return lost


NO_DOWNTIME = Downtime()
