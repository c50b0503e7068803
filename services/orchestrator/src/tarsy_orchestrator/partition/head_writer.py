"""Head writer of a partition: heads in log order, one in flight; a failed write is repeated before any later one."""

import asyncio

import structlog

from tarsy_bus.client.outages import passes
from tarsy_bus.client.publisher import Publisher, was_not_written
from tarsy_bus.retries import draw_growing_pauses, retry
from tarsy_contracts.events.heads import SessionHead, head_key
from tarsy_contracts.wire.ids import derive_id
from tarsy_orchestrator.partition.heads_partition import HeadsPartition

log = structlog.get_logger(__name__)

FIRST_PAUSE_SECONDS = 0.1
LONGEST_PAUSE_SECONDS = 5.0
MOST_WAITING = 5_000
"""Limit of waiting heads. None may be left out or overtaken, so nothing more is decided above it."""


class HeadWriter:
    """Heads that are not written when the process dies, the next owner writes from the log."""

    def __init__(self, publisher: Publisher, heads: HeadsPartition) -> None:
        self._publisher = publisher
        self._heads = heads
        self._waiting: asyncio.Queue[tuple[str, SessionHead, SessionHead | None]] = asyncio.Queue()
        self._written = asyncio.Event()

    def put(self, session_id: str, head: SessionHead, replaced: SessionHead | None) -> None:
        self._waiting.put_nowait((session_id, head, replaced))

    async def wait_for_capacity(self) -> None:
        """Waits while too many heads wait. Events read from the log are put all the same: they have been written."""
        while self._waiting.qsize() >= MOST_WAITING:
            self._written.clear()
            await self._written.wait()

    async def run(self) -> None:
        """Raises LogMismatchError when the topic is not the one that heads were read from."""
        while True:
            session_id, head, replaced = await self._waiting.get()
            await self._write_until_done(session_id, head, replaced)
            self._written.set()

    async def _write_until_done(self, session_id: str, head: SessionHead, replaced: SessionHead | None) -> None:

        def failed(problem: Exception, pause: float) -> None:
            log.warning("head.not_written", session_id=session_id, reason=str(problem), pause_seconds=round(pause, 1))

        await retry(
            lambda: self._write_head(session_id, head, replaced),
            passes=lambda problem: was_not_written(problem) or passes(problem),
            failed=failed,
            pauses=draw_growing_pauses(FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS),
        )

    async def _write_head(self, session_id: str, head: SessionHead, replaced: SessionHead | None) -> None:
        """The tombstone of the older number goes after the newer head: a reader in between finds both, never none."""
        topic, partition = self._heads.place
        key = head_key(session_id, head.number)
        id = derive_id("head", session_id, head.number)
        await self._heads.check()
        written = await self._publisher.publish(topic, head, key=key, id=id, subject=session_id, partition=partition)
        self._heads.note_write(written.offset)
        if replaced is not None:
            old = head_key(session_id, replaced.number).encode()
            written = await self._publisher.write(topic, key=old, value=None, headers=[], partition=partition)
            self._heads.note_write(written.offset)
