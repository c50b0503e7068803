"""Count of what a server says that is no message: one line of our log a minute, however much comes."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import structlog

log = structlog.get_logger(__name__)

EVERY_SECONDS = 60.0


def _tell_nobody() -> None:
    pass


@dataclass(slots=True)
class GarbageCount:
    """`counted` is called for each; `clock` is monotonic, in seconds."""

    server: str = ""
    clock: Callable[[], float] = time.monotonic
    counted: Callable[[], None] = _tell_nobody
    _count: int = field(default=0, init=False)
    _bytes: int = field(default=0, init=False)
    _logged_at: float | None = field(default=None, init=False)

    def add(self, size: int) -> None:
        self._count += 1
        self._bytes += size
        self.counted()
        if self._logged_at is None or self.clock() - self._logged_at >= EVERY_SECONDS:
            self.log()

    def log(self) -> None:
        """Logs the garbage since the last time, if there was any."""
        if not self._count:
            return
        log.warning("mcp_server.no_message", server=self.server, count=self._count, bytes=self._bytes)
        self._count = self._bytes = 0
        self._logged_at = self.clock()
