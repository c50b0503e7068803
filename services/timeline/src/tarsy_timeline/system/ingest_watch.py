"""A part of the configuration, as the ingest has it: the timeline has none."""

import asyncio
from collections.abc import Awaitable, Callable

import structlog

from tarsy_timeline.system.ingest_api import FAILURES

log = structlog.get_logger(__name__)

LOOK_SECONDS = 15.0


class IngestWatch[T]:
    """While no ingest answers, what was read last stays; before, `current` is what it was made with.

    `was_read`: an ingest has answered.
    """

    def __init__(
        self, name: str, read: Callable[[], Awaitable[T]], before: T, *, look_seconds: float = LOOK_SECONDS
    ) -> None:
        self._name = name
        self._read = read
        self._look_seconds = look_seconds
        self._failed = False
        self.current = before
        self.was_read = False

    async def run(self, heartbeat: Callable[[], None]) -> None:
        """Until it is cancelled."""
        while True:
            await self.look()
            heartbeat()
            await asyncio.sleep(self._look_seconds)

    async def look(self) -> None:
        try:
            self.current = await self._read()
            self._failed, self.was_read = False, True
        except FAILURES as problem:
            if not self._failed:
                log.warning(f"{self._name}.unreadable", reason=repr(problem))
            self._failed = True
