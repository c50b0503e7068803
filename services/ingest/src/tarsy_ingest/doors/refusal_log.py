"""Refusals over HTTP, each with a line and a count: why was this alert not investigated?

A line has door, sender and reason, and no value of what was sent. A flood of refusals is no flood of lines.
"""

import time
from collections.abc import Callable

import structlog

from tarsy_ingest.metrics import Metrics

MOST_LINES, SECONDS = 20, 1.0
"""Limit of lines in this time. The next line after a flood counts those that were left out."""
MOST_MISTAKES = 10

log = structlog.get_logger(__name__)


class RefusalLog:
    """`mask`: names of fields are the sender's own."""

    def __init__(
        self, metrics: Metrics, mask: Callable[[str], str], monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._metrics = metrics
        self._mask = mask
        self._monotonic = monotonic
        self._since = float("-inf")
        self._lines = 0
        self._left_out = 0

    def note(self, door: str, sender: str, status: int, reason: str) -> None:
        self._metrics.count_refused(door, status)
        now = self._monotonic()
        if now - self._since >= SECONDS:
            self._since, self._lines = now, 0
        if self._lines >= MOST_LINES:
            self._left_out += 1
            return
        self._lines += 1
        left_out, self._left_out = self._left_out, 0
        log.warning(
            "alert.refused", door=door, sender=sender, status=status, reason=self._mask(reason), left_out=left_out
        )
