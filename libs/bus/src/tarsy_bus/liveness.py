"""Which workers are dead, judged by the stamps of their announcements alone (docs/concepts.md)."""

import asyncio
import time
from collections.abc import Callable
from datetime import datetime, timedelta

import structlog

from tarsy_bus.announcements import announcement_in
from tarsy_bus.connection import Bus
from tarsy_bus.following import Follower, Record
from tarsy_bus.publisher import NotWritten, Publisher
from tarsy_bus.records import append_time
from tarsy_contracts.workers import WorkerAnnounced

log = structlog.get_logger(__name__)

ANNOUNCE_SECONDS = 1.0
DEAD_AFTER = timedelta(seconds=8)


class Liveness:
    """What one reader of the announcements knows. All times are the broker's."""

    def __init__(
        self, own_id: str, *, dead_after: timedelta = DEAD_AFTER, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._own_id = own_id
        self._dead_after = dead_after
        self._monotonic = monotonic
        self._heard_at = 0.0
        self._last: dict[str, datetime] = {}
        self._left: set[str] = set()
        self._began: datetime | None = None

    def saw(self, announcement: WorkerAnnounced, appended_at: datetime) -> None:
        self._last[announcement.worker_id] = appended_at
        if announcement.worker_id == self._own_id:
            self._heard_at = self._monotonic()
            self._began = self._began or appended_at
        if announcement.leaving:
            self._left.add(announcement.worker_id)
        self._forget(appended_at)

    @property
    def now(self) -> datetime | None:
        """The broker's time of our own last announcement that came back."""
        return self._last.get(self._own_id)

    @property
    def about_now(self) -> datetime | None:
        """`now`, carried on by our own clock: good enough to notice that a time may have come, not to decide it.

        It lags behind the broker's clock by the way of an announcement.
        """
        now = self.now
        return now and now + timedelta(seconds=self._monotonic() - self._heard_at)

    def is_dead(self, worker_id: str, *, since: datetime) -> bool:
        """`since`: when it was last known to live by another sign, such as its claim on the log.

        For how long a worker is silent that this reader never heard it cannot say: it listens for that long first.
        """
        now = self.now
        if now is None or self._began is None:
            return False
        last = max(self._last.get(worker_id, self._began), since)
        if worker_id in self._left:
            return now > last
        return now - last > self._dead_after

    def lives(self, worker_id: str) -> bool:
        """It has announced itself, lately."""
        last = self._last.get(worker_id)
        return last is not None and not self.is_dead(worker_id, since=last)

    def _forget(self, now: datetime) -> None:
        """Of a worker that was silent for long, `since` alone tells as much."""
        old = [worker for worker, last in self._last.items() if now - last > 20 * self._dead_after]
        for worker in old:
            del self._last[worker]
            self._left.discard(worker)


async def announce(publisher: Publisher, announcement: WorkerAnnounced) -> None:
    """Announces for ever, and says good-bye when it is cancelled."""
    try:
        while True:
            await _announce_once(publisher, announcement)
            await asyncio.sleep(ANNOUNCE_SECONDS)
    except asyncio.CancelledError:
        await _announce_once(publisher, announcement.model_copy(update={"leaving": True}))
        raise


async def _announce_once(publisher: Publisher, announcement: WorkerAnnounced) -> None:
    worker = announcement.worker_id
    try:
        await publisher.publish(publisher.topics.workers, announcement, key=worker, id=worker, subject=worker)
    except NotWritten:
        log.warning("announcement.not_written", worker_id=worker)


async def watch(bus: Bus, liveness: Liveness, changed: Callable[[], None]) -> None:
    """Follows the announcements for ever, from the end as it is now; `changed` after each read that brought some."""
    async with Follower(bus, bus.topics.workers).running() as follower:
        follower.assign(await follower.ends([0]))
        while True:
            records = await follower.next()
            for record in records:
                _take(liveness, record)
            if records:
                changed()


def _take(liveness: Liveness, record: Record) -> None:
    announcement = announcement_in(record)
    if announcement is not None:
        liveness.saw(announcement, append_time(record))
