"""Waiting for a session within a tool call, with progress for a client that asks for it."""

import asyncio
import time
from collections.abc import Awaitable, Callable

MOST_SECONDS = 50.0
"""Many proxies cut an answer that sends nothing for 60 seconds, and not every client asks for progress."""
LOOK_SECONDS = 1.0
MOST_WAITING = 200
"""Each of them asks the API once a second. A call above them is answered at once with how far it is."""


class BoundedWaits:
    """All tool calls of this process that wait."""

    def __init__(
        self,
        monotonic: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._monotonic = monotonic
        self._sleep = sleep
        self._waiting = 0

    def deadline(self, seconds: float) -> float:
        """For `until`: so many seconds from now."""
        return self._monotonic() + seconds

    async def until[T](
        self,
        look: Callable[[], Awaitable[T]],
        done: Callable[[T], bool],
        deadline: float,
        report: Callable[[T, float], Awaitable[None]],
    ) -> T:
        """The first that is done, or the last that was seen before the deadline. It looks at least once.

        `report` gets what was seen, and how many seconds are left.
        """
        found = await look()
        if self._waiting >= MOST_WAITING:
            return found
        self._waiting += 1
        try:
            while not done(found) and (left := deadline - self._monotonic()) > 0:
                await report(found, left)
                await self._sleep(min(LOOK_SECONDS, left))
                found = await look()
            return found
        finally:
            self._waiting -= 1
