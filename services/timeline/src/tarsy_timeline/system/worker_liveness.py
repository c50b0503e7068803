"""Liveness of workers, for a reader that does not announce itself: to be shown, not to decide by."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from aiokafka import TopicPartition

from tarsy_bus.client.connection import Bus
from tarsy_bus.client.fetch_progress import ignore_step
from tarsy_bus.liveness.failure_detection import DEAD_AFTER
from tarsy_bus.liveness.heartbeat_gaps import GAP
from tarsy_bus.liveness.heartbeats import Announcements
from tarsy_bus.readers.partition_reader import PartitionReader
from tarsy_bus.readers.records import append_time
from tarsy_contracts.messages.workers import WorkerAnnounced

REMEMBERED = timedelta(hours=1)
"""How long a silent worker is remembered."""
READ_BACK = 5_000
"""Announcements that are read at the start: of the last 8 seconds if 600 processes make one each second."""
SURE_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Heard:
    """The last announcement of a worker."""

    announcement: WorkerAnnounced
    at: datetime


class WorkerLiveness:
    """The topic's time is that of the newest announcement of any process.

    Our clock advances it only up to the last moment at which nothing newer was waiting. A process that is cut off from
    Kafka must not declare all others dead.
    """

    def __init__(self, *, dead_after: timedelta = DEAD_AFTER, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._dead_after = dead_after
        self._monotonic = monotonic
        self._heard: dict[str, Heard] = {}
        self._replaced: set[str] = set()
        self._outage: tuple[datetime, datetime] | None = None
        self._newest: datetime | None = None
        self._newest_at = 0.0
        self._sure_at: float | None = None

    def note_heartbeat(self, announcement: WorkerAnnounced, appended_at: datetime) -> None:
        before = self.now
        if before is not None and appended_at - before > GAP:
            self._outage = (before, appended_at)
        if announcement.name and announcement.worker_id not in self._heard:
            self._replaced.update(self._list_workers_of_process(announcement))
        self._replaced.discard(announcement.worker_id)
        self._heard.pop(announcement.worker_id, None)
        self._heard[announcement.worker_id] = Heard(announcement, appended_at)
        self._newest, self._newest_at = appended_at, self._monotonic()
        self._forget_old_workers(appended_at)

    def nothing_waits(self) -> None:
        """All that was announced until now has been seen."""
        self._sure_at = self._monotonic()

    @property
    def is_sure(self) -> bool:
        return self._sure_at is not None and self._monotonic() - self._sure_at <= SURE_SECONDS

    @property
    def now(self) -> datetime | None:
        """None while nobody has ever announced himself."""
        if self._newest is None or self._sure_at is None:
            return self._newest
        return self._newest + timedelta(seconds=max(0.0, self._sure_at - self._newest_at))

    def lives(self, worker_id: str) -> bool:
        heard = self._heard.get(worker_id)
        return heard is not None and self._is_alive(heard)

    def find_last_heard(self, worker_id: str) -> datetime | None:
        """None when it never announced itself, or is forgotten."""
        heard = self._heard.get(worker_id)
        return heard.at if heard is not None else None

    def has_forgotten(self, worker_id: str, *, since: datetime) -> bool:
        """It was silent for so long that what it sent at `since` is of no use any more."""
        now = self.now
        return now is not None and worker_id not in self._heard and now - since > REMEMBERED

    def gateways(self) -> Iterator[tuple[bool, datetime]]:
        """Whether each tool gateway that is remembered lives, and when it announced itself last."""
        for heard in self._heard.values():
            if heard.announcement.service == "tool-gateway":
                yield self._is_alive(heard), heard.at

    def list_living(self) -> Iterator[Heard]:
        return (heard for heard in self._heard.values() if self._is_alive(heard))

    def _forget_old_workers(self, now: datetime) -> None:
        """They are in the order in which they announced themselves last."""
        while (oldest := next(iter(self._heard.items())))[1].at < now - REMEMBERED:
            del self._heard[oldest[0]]
            self._replaced.discard(oldest[0])

    def _list_workers_of_process(self, new: WorkerAnnounced) -> list[str]:
        """Workers of the same name before this one. One that announces itself again lives: the name is used twice."""
        return [id for id, one in self._heard.items() if _process_key(one.announcement) == _process_key(new)]

    def _is_alive(self, heard: Heard) -> bool:
        """Time in which nobody announced himself is nobody's silence: after it everybody has as long as ever."""
        now = self.now
        if now is None or heard.announcement.leaving or heard.announcement.worker_id in self._replaced:
            return False
        if now - heard.at <= self._dead_after:
            return True
        if self._outage is None:
            return False
        begin, end = self._outage
        return now - end <= self._dead_after and begin - heard.at <= self._dead_after


def _process_key(announcement: WorkerAnnounced) -> tuple[str, str]:
    return announcement.service, announcement.name


async def follow_workers(
    bus: Bus, liveness: WorkerLiveness, changed: Callable[[], None], heartbeat: Callable[[], None] = ignore_step
) -> None:
    """Follows the announcements for ever, from those of the last seconds on."""
    topic_partition = TopicPartition(bus.topics.workers, 0)
    async with PartitionReader(bus, bus.topics.workers, heartbeat).running() as follower:
        first, end = (await follower.firsts([0]))[0], (await follower.ends([0]))[0]
        follower.assign({0: max(first, end - READ_BACK)})
        answered_at: int | None = None
        announcements = Announcements()
        while True:
            for record in await follower.next():
                announcement = announcements.read(record)
                if announcement is not None:
                    liveness.note_heartbeat(announcement, append_time(record))
            # An empty read alone may as well mean that the broker is out of reach.
            before, answered_at = answered_at, follower.consumer.last_poll_timestamp(topic_partition)
            if answered_at != before and await follower.position(0) >= follower.consumer.highwater(topic_partition):
                liveness.nothing_waits()
            changed()
