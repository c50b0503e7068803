"""Bound on the sessions that wait: above it alerts are sent away, or stay on their topic, until there is room.

Owners announce how many sessions of each partition wait, and how far its inbox is decided. Beside those this process
counts the alerts that it accepted and that are not decided yet. So it knows what its own alerts come to at any moment,
and of those that other ingests accept what was announced a moment ago.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress

from tarsy_contracts.messages.workers import OwnedQueue, WorkerAnnounced
from tarsy_ingest.errors import IngestError

LOOK_SECONDS = 1.0
"""How often is looked whether there is room, when nothing is announced: the configuration may have changed."""
EARLIER_VERSION_SECONDS = 30.0
"""The time without a bound after an announcement of an orchestrator that sends no counts."""


class QueueFullError(IngestError):
    """As many sessions wait as may. The caller sends the alert again later."""


class PendingSessions:
    """The last announcement of each partition counts, from any owner: what waited for a dead owner still waits.

    `most`: how many may wait now.
    """

    def __init__(self, most: Callable[[], int], monotonic: Callable[[], float] = time.monotonic) -> None:
        self._most = most
        self._monotonic = monotonic
        self._queues: dict[int, OwnedQueue] = {}
        self._undecided: dict[int, deque[int]] = {}
        self._waiting = 0
        self._mine = 0
        self._uncounted_until = 0.0
        self._changed = asyncio.Event()

    @property
    def waiting(self) -> int:
        """As far as is known here: announced, and accepted here since."""
        return self._waiting + self._mine

    @property
    def is_full(self) -> bool:
        return self.waiting >= self._most() and self._monotonic() >= self._uncounted_until

    def require_capacity(self) -> None:
        """Raises QueueFullError."""
        if self.is_full:
            raise QueueFullError(f"{self.waiting} sessions wait")

    async def wait_for_capacity(self, heartbeat: Callable[[], None]) -> None:
        """Returns when there is room; `heartbeat` is called while it waits."""
        while self.is_full:
            heartbeat()
            self._changed.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_SECONDS):
                    await self._changed.wait()

    def note_accepted(self, partition: int, offset: int) -> None:
        """An alert that starts a session lies in the inbox now."""
        self._undecided.setdefault(partition, deque()).append(offset)
        self._mine += 1

    def note_heartbeat(self, announcement: WorkerAnnounced) -> None:
        if announcement.service != "orchestrator" or announcement.leaving:
            return
        if announcement.queues is None:
            self._forget_all()
            return
        for partition, queue in announcement.queues.items():
            self._queues[partition] = queue
            self._drop_decided(partition, queue.decided)
        self._waiting = sum(queue.waiting for queue in self._queues.values())
        self._changed.set()

    def _drop_decided(self, partition: int, below: int) -> None:
        mine = self._undecided.get(partition)
        while mine and mine[0] < below:
            mine.popleft()
            self._mine -= 1

    def _forget_all(self) -> None:
        self._uncounted_until = self._monotonic() + EARLIER_VERSION_SECONDS
        self._queues.clear()
        self._undecided.clear()
        self._waiting = self._mine = 0
