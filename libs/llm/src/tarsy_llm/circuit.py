"""The circuit breaker of one provider. Pure: time is a parameter, in seconds of any steady clock."""

from dataclasses import dataclass, replace
from typing import Literal

from tarsy_llm.protocol import ErrorKind

type CircuitState = Literal["closed", "open", "half_open"]
"""closed: the provider is asked. open: it is not. half_open: one call tries it, or may."""

UNAVAILABLE: frozenset[ErrorKind] = frozenset(
    {"credentials", "provider_error", "first_chunk_timeout", "stalled", "cut_off"}
)
"""Failures that another request meets, too. A used-up quota or credit is one of credentials."""
FINAL: frozenset[ErrorKind] = frozenset({"credentials"})
"""One of them is enough: no repetition helps before somebody has done something."""
FAILURES = 3
"""Failures in a row that open the circuit."""
FIRST_PAUSE_SECONDS = 30.0
LONGEST_PAUSE_SECONDS = 600.0
LATELY_SECONDS = 60.0
"""For so long after a failure, a summary asks another provider first."""
REPORTED_SECONDS = 600.0
"""For so long after its pause, a provider that nobody has asked again is reported as one that fails."""


@dataclass(frozen=True, slots=True)
class Circuit:
    """`failures`: in a row. `openings`: since it was closed last. `since`: when the first of these failures came.

    `tries_at`: when a call may try an open one. `is_tried`: a call does so now.
    """

    failures: int = 0
    openings: int = 0
    kind: ErrorKind | None = None
    since: float = 0.0
    failed_at: float = 0.0
    tries_at: float = 0.0
    is_tried: bool = False

    @property
    def is_closed(self) -> bool:
        return self.openings == 0

    def state(self, now: float) -> CircuitState:
        if self.is_closed:
            return "closed"
        return "half_open" if self.is_tried or now >= self.tries_at else "open"

    def may_ask(self, now: float) -> bool:
        return self.is_closed or (not self.is_tried and now >= self.tries_at)

    def has_failed_lately(self, now: float) -> bool:
        return self.failures > 0 and now < self.failed_at + LATELY_SECONDS

    def is_failing(self, now: float) -> bool:
        """Whether people are to know."""
        return not self.is_closed and now < self.tries_at + REPORTED_SECONDS

    def begin_try(self) -> "Circuit":
        return replace(self, is_tried=True)

    def abandon_try(self) -> "Circuit":
        """The call that tried it was cancelled: the next one may."""
        return replace(self, is_tried=False)

    def pause(self, now: float, retry_after_seconds: float | None = None) -> "Circuit":
        """Opens it, for twice as long as the last time. `retry_after_seconds`: what the provider asked for."""
        doubled = FIRST_PAUSE_SECONDS * 2 ** min(self.openings, 10)
        seconds = min(max(doubled, retry_after_seconds or 0.0), LONGEST_PAUSE_SECONDS)
        return replace(self, openings=self.openings + 1, tries_at=now + seconds, is_tried=False)

    def note_failure(self, kind: ErrorKind, now: float, retry_after_seconds: float | None = None) -> "Circuit":
        """`kind`: one of UNAVAILABLE. An open circuit has it from the call that tried it."""
        since = self.since if self.failures else now
        failed = replace(self, failures=self.failures + 1, kind=kind, since=since, failed_at=now)
        opens = not self.is_closed or kind in FINAL or failed.failures >= FAILURES
        return failed.pause(now, retry_after_seconds) if opens else failed


CLOSED = Circuit()
