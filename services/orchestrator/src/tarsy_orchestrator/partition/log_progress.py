"""Progress of an owner in the log of one partition, and the wait until it has read as far as it has to."""

import asyncio

import structlog

log = structlog.get_logger(__name__)

SILENCE_SECONDS = 30.0


class LogProgress:
    """`next` is the offset that is read next."""

    def __init__(self, partition: int, next: int) -> None:
        self.next = next
        self._partition = partition
        self._awaited = 0
        self._moved = asyncio.Event()
        self._stopped = False

    def stop(self) -> None:
        """Reading has stopped: wakes everybody who waits for it."""
        self._stopped = True
        self._moved.set()

    @property
    def is_awaited(self) -> bool:
        """Whether somebody waits until more was read."""
        return self.next < self._awaited and not self._stopped

    def move_to(self, next: int) -> None:
        """All records below were taken. It may lie behind an offset without a record, as a transaction leaves it."""
        self.next = max(self.next, next)
        self._moved.set()

    async def wait_until_caught_up(self, end: int) -> None:
        """Waits until the log has been read up to `end` (exclusive), or is read no more."""
        self._awaited = max(self._awaited, end)
        while self.next < end and not self._stopped:
            self._moved.clear()
            try:
                async with asyncio.timeout(SILENCE_SECONDS):
                    await self._moved.wait()
            except TimeoutError:
                log.warning("log.silent", partition=self._partition, position=self.next, end=end)
