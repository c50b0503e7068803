"""Restart budget: how often, and after which pauses, one thing may be started again."""

import time
from collections import deque
from collections.abc import Callable

MOST_RESTARTS = 5
WINDOW_SECONDS = 600.0
FIRST_PAUSE_SECONDS = 0.5


class BudgetSpent(Exception):
    """It ended too often; the message says what, how often, and why it ended last."""


class RestartBudget:
    """The budget of one thing, by its name. `now` is in seconds, and never goes back."""

    def __init__(self, name: str, *, now: Callable[[], float] = time.monotonic) -> None:
        self._name = name
        self._now = now
        self._restarts: deque[float] = deque()

    def spend(self, reason: str) -> float:
        """For one more restart: the seconds to wait before it. Raises BudgetSpent."""
        now = self._now()
        while self._restarts and now - self._restarts[0] > WINDOW_SECONDS:
            self._restarts.popleft()
        if len(self._restarts) >= MOST_RESTARTS:
            minutes = WINDOW_SECONDS / 60
            raise BudgetSpent(
                f"{self._name} had to be started again {MOST_RESTARTS} times within {minutes:g} minutes, "
                f"and ended again: {reason}"
            )
        pause: float = FIRST_PAUSE_SECONDS * 2 ** len(self._restarts)
        self._restarts.append(now)
        return pause
