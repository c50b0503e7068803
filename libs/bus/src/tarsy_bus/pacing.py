"""Long loops over records that let other tasks of the event loop run in between."""

import asyncio
import time
from collections.abc import Callable

TURN_SECONDS = 0.02
"""A loop holds the event loop for little longer than this: nothing may hold it for 100 ms."""


class Pacer:
    """One for each loop over many records."""

    def __init__(self, monotonic: Callable[[], float] | None = None, *, loops: int = 1) -> None:
        """`loops`: how many such loops may run at once. Each has its turn before others have theirs."""
        # Looked up now: a default would keep the machine's clock where a simulation has put its own.
        self._monotonic = monotonic = monotonic or time.monotonic
        self._turn_seconds = TURN_SECONDS / loops
        self._turn_began = monotonic()

    @property
    def is_turn_over(self) -> bool:
        return self._monotonic() - self._turn_began >= self._turn_seconds

    async def let_others_run(self) -> None:
        """Returns at once while the turn lasts; else when every other task that was ready has run."""
        if not self.is_turn_over:
            return
        await asyncio.sleep(0)
        self._turn_began = self._monotonic()
