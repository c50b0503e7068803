"""When a broker answered this process last."""

from dataclasses import dataclass

SILENT_SECONDS = 20.0
"""A leader that changes, a broker that restarts and a long pause of its garbage collection are over before."""


@dataclass(slots=True)
class BrokerAnswers:
    """One for a process; all its services share it. Seconds are monotonic."""

    _last: float | None = None

    def begin(self, now: float) -> None:
        """A process that just started is not silent yet."""
        if self._last is None:
            self._last = now

    def note(self, now: float) -> None:
        self._last = now

    def silent_seconds(self, now: float) -> float:
        return 0.0 if self._last is None else now - self._last
