"""Log of refusals: a flood of wrong credentials is no flood of lines."""

from collections.abc import Callable

import structlog

QUIET_SECONDS = 1.0
"""For each reason one line is written in this time; the next one says how many were left out."""

log = structlog.get_logger(__name__)


class DenialLog:
    """`event`: the name of its lines."""

    def __init__(self, event: str, monotonic: Callable[[], float]) -> None:
        self._event = event
        self._monotonic = monotonic
        self._written: dict[str, float] = {}
        self._left_out: dict[str, int] = {}

    def write(self, reason: str, about: dict[str, str]) -> None:
        """`reason`: one of few."""
        now, last = self._monotonic(), self._written.get(reason)
        if last is not None and now - last < QUIET_SECONDS:
            self._left_out[reason] = self._left_out.get(reason, 0) + 1
            return
        self._written[reason] = now
        log.warning(self._event, reason=reason, left_out=self._left_out.pop(reason, 0), **about)
