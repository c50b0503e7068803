"""A worker's own view of its life: whether its announcements reached Kafka lately (timing.py says how lately).

An owner that misses them takes its calls away. It may have done so already when the worker itself notices.
"""

import time
from collections.abc import Callable
from datetime import datetime, timedelta


class Pulse:
    def __init__(self, limit_seconds: float, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._limit_seconds = limit_seconds
        self.monotonic = monotonic
        self._began: float | None = None
        self._lapses = 0
        self._stamp: datetime | None = None
        self._stamp_came = 0.0

    def note_acknowledgement(self, began: float, stamp: datetime | None = None) -> None:
        """Kafka has an announcement that was sent at `began` or later. `stamp`: the broker's, of its arrival."""
        if self.was_heard and not self.is_fresh:
            self._lapses += 1
        self._began = began
        self._stamp, self._stamp_came = stamp, self.monotonic()

    @property
    def broker_time(self) -> datetime | None:
        """The broker's time now: its last stamp, and our own seconds since that came. Behind by the way of it."""
        return self._stamp and self._stamp + timedelta(seconds=self.monotonic() - self._stamp_came)

    @property
    def was_heard(self) -> bool:
        """An announcement came through, at any time: before that there is nothing to lapse."""
        return self._began is not None

    @property
    def is_fresh(self) -> bool:
        return self._began is not None and self.monotonic() - self._began <= self._limit_seconds

    @property
    def lapses(self) -> int:
        """How often it was not fresh when an announcement came through: a lapse is noticed however short its end is."""
        return self._lapses
