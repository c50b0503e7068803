"""Budget of CPU time of one read: hostile text costs its reader, and nobody else."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

MOST_SECONDS = 10.0
"""Only a hostile expression, or hostile stamps, on a hostile text need more."""


class CpuBudget:
    def __init__(self, seconds: float | None = None, *, clock: Callable[[], float] = time.thread_time) -> None:
        self._left = MOST_SECONDS if seconds is None else seconds
        self._clock = clock

    @property
    def is_spent(self) -> bool:
        return self._left < 0

    @contextmanager
    def measured(self) -> Iterator[None]:
        """The time of the body counts, which runs in one thread."""
        began = self._clock()
        try:
            yield
        finally:
            self._left -= self._clock() - began
