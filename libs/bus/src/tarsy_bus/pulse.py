"""A worker's own view of its life: whether its announcements reached Kafka lately (timing.py says how lately).

An owner that misses them takes its calls away. It may have done so already when the worker itself notices.
"""

import time
from collections.abc import Callable


class Pulse:
    def __init__(self, limit_seconds: float, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._limit_seconds = limit_seconds
        self.monotonic = monotonic
        self._began: float | None = None
        self._lapses = 0

    def acknowledged(self, began: float) -> None:
        """Kafka has an announcement that was sent at `began` or later."""
        if self.was_heard and not self.is_fresh:
            self._lapses += 1
        self._began = began

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
