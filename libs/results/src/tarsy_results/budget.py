"""Budget of time of one read: hostile text costs its reader, and nobody else."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

MOST_SECONDS = 10.0
"""CPU time. Only a hostile expression, or hostile stamps, on a hostile text need more."""

type Clock = Callable[[], float]


class ReadBudget:
    """`seconds` of CPU time (MOST_SECONDS if None), and not beyond `ends_at`, a time of `monotonic`."""

    def __init__(
        self,
        seconds: float | None = None,
        *,
        ends_at: float = float("inf"),
        monotonic: Clock = time.monotonic,
        cpu: Clock = time.thread_time,
    ) -> None:
        self._left = MOST_SECONDS if seconds is None else seconds
        self._ends_at = ends_at
        self._monotonic = monotonic
        self._cpu = cpu
        self.is_spent = False

    @contextmanager
    def measured(self) -> Iterator[None]:
        """The time of the body counts, which runs in one thread."""
        began = self._cpu()
        try:
            yield
        finally:
            self._left -= self._cpu() - began
            self.is_spent = self.is_spent or self._left < 0 or self._monotonic() > self._ends_at
