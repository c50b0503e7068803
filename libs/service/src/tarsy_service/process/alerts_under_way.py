"""Alerts under way in a process: investigating makes way for accepting where both share an event loop.

Between processes priorities do this. In one process every input that is decided meanwhile, with all that follows from
it, would be waited for by each alert.
"""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

MANY = 16
"""Alerts that are accepted at once from which on they are a flood. Where the process keeps up, there are one or two."""
CALM_SECONDS = 1.0
"""So long after the last time that there were so many, the flood is over."""


class AlertsUnderWay:
    """One for the services of a process that accept alerts and that investigate."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._count = 0
        self._many_at = -math.inf

    @property
    def are_flood(self) -> bool:
        return self._count >= MANY or self._monotonic() - self._many_at < CALM_SECONDS

    @contextmanager
    def one(self) -> Iterator[None]:
        """Around the accepting of one alert."""
        self._count += 1
        try:
            yield
        finally:
            if self._count >= MANY:
                self._many_at = self._monotonic()
            self._count -= 1
