"""Restart budget: how often, and after which pauses, one thing may be started again."""

import time
from collections import deque
from collections.abc import Callable

from tarsy_local.errors import LocalError

MOST_RESTARTS = 5
WINDOW_SECONDS = 600.0
FIRST_PAUSE_SECONDS = 0.5


class BudgetSpentError(LocalError):
    """It ended too often; the message says what, how often, and why it ended last. The operator reads its log."""


class RestartBudget:
    """The budget of one thing, by its name. `now` is in seconds, and never goes back."""

    def __init__(self, name: str, *, now: Callable[[], float] = time.monotonic) -> None:
        self._name = name
        self._now = now
        self._restarts: deque[float] = deque()

    def spend(self, reason: str) -> float:
        """For one more restart: the seconds to wait before it. Raises BudgetSpentError."""
        now = self._now()
        while self._restarts and now - self._restarts[0] > WINDOW_SECONDS:
            self._restarts.popleft()
        if len(self._restarts) >= MOST_RESTARTS:
            minutes = WINDOW_SECONDS / 60
            raise BudgetSpentError(
                f"{self._name} had to be started again {MOST_RESTARTS} times within {minutes:g} minutes, "
                f"and ended again: {reason}"
            )
        pause: float = FIRST_PAUSE_SECONDS * 2 ** len(self._restarts)
        self._restarts.append(now)
        return pause
