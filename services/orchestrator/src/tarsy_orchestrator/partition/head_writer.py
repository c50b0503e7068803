"""Head writer of a partition: heads in log order, one in flight; a failed write is repeated before any later one."""

import asyncio

import structlog

from tarsy_bus.publisher import Publisher, not_written
from tarsy_bus.retries import growing_pauses, retry
from tarsy_contracts.heads import SessionHead, head_key
from tarsy_contracts.ids import derived_id

log = structlog.get_logger(__name__)

FIRST_PAUSE_SECONDS = 0.1
LONGEST_PAUSE_SECONDS = 5.0
MOST_WAITING = 5_000
"""Limit of waiting heads. None may be left out or overtaken, so nothing more is decided above it."""


class HeadWriter:
    """Heads that are not written when the process dies, the next owner writes from the log."""

    def __init__(self, publisher: Publisher, partition: int) -> None:
        self._publisher = publisher
        self._partition = partition
        self._waiting: asyncio.Queue[tuple[str, SessionHead, SessionHead | None]] = asyncio.Queue()
        self._written = asyncio.Event()

    def put(self, session_id: str, head: SessionHead, replaced: SessionHead | None) -> None:
        self._waiting.put_nowait((session_id, head, replaced))

    async def until_room(self) -> None:
        """Waits while too many heads wait. Events read from the log are put all the same: they have been written."""
        while self._waiting.qsize() >= MOST_WAITING:
            self._written.clear()
            await self._written.wait()

    async def run(self) -> None:
        while True:
            session_id, head, replaced = await self._waiting.get()
            await self._until_written(session_id, head, replaced)
            self._written.set()

    async def _until_written(self, session_id: str, head: SessionHead, replaced: SessionHead | None) -> None:

        def failed(problem: Exception, pause: float) -> None:
            log.warning("head.not_written", session_id=session_id, reason=str(problem), pause_seconds=round(pause, 1))

        await retry(
            lambda: self._write(session_id, head, replaced),
            passes=not_written,
            failed=failed,
            pauses=growing_pauses(FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS),
        )

    async def _write(self, session_id: str, head: SessionHead, replaced: SessionHead | None) -> None:
        """The tombstone of the older number goes after the newer head: a reader in between finds both, never none."""
        topic = self._publisher.topics.heads
        key = head_key(session_id, head.number)
        id = derived_id("head", session_id, head.number)
        await self._publisher.publish(topic, head, key=key, id=id, subject=session_id, partition=self._partition)
        if replaced is not None:
            old = head_key(session_id, replaced.number).encode()
            await self._publisher.write(topic, key=old, value=None, headers=[], partition=self._partition)
