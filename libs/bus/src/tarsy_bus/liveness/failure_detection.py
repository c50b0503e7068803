"""Failure detection of workers: whose announcements are missing, counted in our own (docs/concepts.md, deaths)."""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import structlog
from aiokafka.structs import RecordMetadata

from tarsy_bus.client.connection import Bus
from tarsy_bus.client.fetch_progress import ignore_step
from tarsy_bus.client.publisher import NotWrittenError, Publisher
from tarsy_bus.liveness.heartbeat_gaps import BEFORE_EVERYTHING, GAP, Outage, Outages
from tarsy_bus.liveness.heartbeats import Announcements
from tarsy_bus.liveness.pulse import Pulse
from tarsy_bus.readers.partition_reader import PartitionReader
from tarsy_bus.readers.records import append_time
from tarsy_contracts.messages.workers import FailingProvider, OwnedQueue, WorkerAnnounced
from tarsy_contracts.timing import (
    ANNOUNCE_SECONDS,
    COUNTED_APART_SECONDS,
    DEAD_AFTER,
    GRACE_SECONDS,
    REPLACED_AFTER,
)

log = structlog.get_logger(__name__)

__all__ = ["ANNOUNCE_SECONDS", "DEAD_AFTER", "Liveness", "announce", "watch"]

COUNTED_APART = timedelta(seconds=COUNTED_APART_SECONDS)
GRACE_ANNOUNCEMENTS = round(GRACE_SECONDS / ANNOUNCE_SECONDS)
MOST_BEHIND = timedelta(minutes=1)
"""A reader of the announcements is not further behind."""
READ_BACK = 10_000
"""Announcements from before our start: 15 minutes of eleven processes. They tell outages, names and good-byes."""
REMEMBERED = 20
"""A worker is forgotten after so many times the silence that means death."""

BEFORE_OUR_START = -1


@dataclass(frozen=True, slots=True)
class _Heard:
    """The last announcement of a worker. `count`: how many of ours had come back before it."""

    announcement: WorkerAnnounced
    at: datetime
    count: int


class Liveness:
    """Failure detector over the announcements that one reader saw. All times are the broker's."""

    def __init__(
        self,
        own_id: str,
        *,
        dead_after: timedelta = DEAD_AFTER,
        monotonic: Callable[[], float] = time.monotonic,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._own_id = own_id
        self._clock = clock
        self.clock_behind = timedelta(0)
        """How far our clock was behind the brokers' when our last announcement came back, less by the way of that."""
        self._limit = max(1, round(dead_after.total_seconds() / ANNOUNCE_SECONDS))
        self._monotonic = monotonic
        self._heard_at = 0.0
        self._heard: dict[str, _Heard] = {}
        self._replaced: set[str] = set()
        self._outages = Outages()
        self._count = 0
        self._count_at_gap = 0
        self._last_counted: datetime | None = None
        self._put_back_from: datetime | None = None
        self._counted: deque[datetime] = deque(maxlen=max(self._limit, GRACE_ANNOUNCEMENTS, REPLACED_AFTER))

    def remember(self, announcement: WorkerAnnounced, appended_at: datetime) -> None:
        """One from before our start. It shows outages and names; nobody lives for its sake."""
        self._note_announcement(announcement, appended_at, BEFORE_OUR_START)

    def note_heartbeat(self, announcement: WorkerAnnounced, appended_at: datetime) -> None:
        if announcement.worker_id == self._own_id:
            self._note_own_heartbeat(appended_at)
        self._note_announcement(announcement, appended_at, self._count)
        self._forget_silent_workers()

    @property
    def now(self) -> datetime | None:
        """The broker's time of our own last announcement that came back."""
        own = self._heard.get(self._own_id)
        return None if own is None else own.at

    @property
    def about_now(self) -> datetime | None:
        """`now`, carried on by our own clock: good enough to notice that a time may have come, not to decide it.

        It lags behind the broker's clock by the way of an announcement.
        """
        now = self.now
        return now and now + timedelta(seconds=self._monotonic() - self._heard_at)

    @property
    def heartbeats(self) -> int:
        """How many of our own announcements have come back."""
        return self._count

    def measure_seconds_heard(self, *, since: int) -> float:
        """How long we have heard ourselves since that many `heartbeats`. An outage begins it again."""
        return (self._count - max(since, self._count_at_gap)) * ANNOUNCE_SECONDS

    @property
    def outages(self) -> tuple[Outage, ...]:
        """When no orchestrator announced itself, or this one did not. Without the grace after them."""
        return self._outages.all()

    def is_dead(self, worker_id: str, *, since: datetime) -> bool:
        """`since`: when it was last known to live by another sign, such as its claim on the log.

        True once enough of our own announcements have come back, without a gap, since then and since the worker's last
        one. A worker that was not heard since we began, or since the gap, has the grace.
        """
        now = self.now
        if now is None or self._count == 0:
            return False
        if self._is_of_another_clock(since, now):
            since = BEFORE_EVERYTHING
        heard = self._heard.get(worker_id)
        if heard is not None and heard.announcement.leaving:
            return now > max(heard.at, since)
        return self._count_silence(heard, since) >= self._silence_limit_of(worker_id, heard)

    def _is_of_another_clock(self, since: datetime, now: datetime) -> bool:
        """Whether it is from before the broker's clock was put back. A reader that is behind sees later times, too."""
        return self._put_back_from is not None and now + MOST_BEHIND < since <= self._put_back_from + GAP

    def lives(self, worker_id: str) -> bool:
        """It has announced itself, lately."""
        heard = self._heard.get(worker_id)
        known = heard is not None and heard.count != BEFORE_OUR_START
        return known and heard is not None and not self.is_dead(worker_id, since=heard.at)

    def _count_silence(self, heard: _Heard | None, since: datetime) -> int:
        """Our announcements that came back meanwhile. Counted in the order of the topic, as stamps of two brokers may
        disagree; `since` has nothing but its stamp."""
        last = self._count_at_gap if heard is None else max(heard.count, self._count_at_gap)
        return min(self._count - last, sum(at > since for at in self._counted))

    def _silence_limit_of(self, worker_id: str, heard: _Heard | None) -> int:
        if worker_id in self._replaced:
            return min(REPLACED_AFTER, self._limit)
        heard_since_gap = heard is not None and heard.count >= max(self._count_at_gap, 1)
        return self._limit if heard_since_gap else max(self._limit, GRACE_ANNOUNCEMENTS)

    def _note_own_heartbeat(self, at: datetime) -> None:
        last = self.now
        self._heard_at = self._monotonic()
        self.clock_behind = at - self._clock()
        # The clock of the broker may be put back: its time is another from then on, and no outage.
        gap = last is not None and abs(at - last) > GAP
        if not gap and self._last_counted is not None and at - self._last_counted < COUNTED_APART:
            return
        self._count += 1
        self._last_counted = at
        if last is not None and gap:
            if at > last:
                self._outages.add(last, at)
            else:
                self._put_back_from = last
            self._count_at_gap = self._count
            self._counted.clear()
        else:
            self._counted.append(at)

    def _note_announcement(self, announcement: WorkerAnnounced, at: datetime, count: int) -> None:
        worker_id = announcement.worker_id
        if announcement.service == "orchestrator" or worker_id == self._own_id:
            self._outages.note_heartbeat(at)
        if worker_id not in self._heard and announcement.name:
            self._replaced.update(other for other in self._heard if self._has_same_name(other, announcement))
        self._replaced.discard(worker_id)
        self._heard[worker_id] = _Heard(announcement, at, count)

    def _has_same_name(self, worker_id: str, announcement: WorkerAnnounced) -> bool:
        other = self._heard[worker_id].announcement
        return (other.service, other.name) == (announcement.service, announcement.name)

    def _forget_silent_workers(self) -> None:
        """Forget workers silent for this long; `is_dead` then decides from `since` alone."""
        oldest = self._count - REMEMBERED * self._limit
        old = [worker for worker, heard in self._heard.items() if heard.count < oldest]
        for worker in old:
            del self._heard[worker]
            self._replaced.discard(worker)


async def announce(
    publisher: Publisher,
    announcement: WorkerAnnounced,
    pulse: Pulse | None = None,
    heartbeat: Callable[[], None] = ignore_step,
    queues: Callable[[], Mapping[int, OwnedQueue] | None] = lambda: None,
    failing: Callable[[], Sequence[FailingProvider]] = tuple,
) -> None:
    """Announces for ever, and says good-bye when it is cancelled. `pulse` learns which announcements Kafka has.

    `queues`: those of an orchestrator, as they are now. `failing`: the LLM providers that are not asked now.
    """
    pulse = pulse or Pulse(GRACE_SECONDS)
    try:
        while True:
            began = pulse.monotonic()
            present = {"queues": queues(), "failing_providers": tuple(failing())}
            written = await _announce_once(publisher, announcement.model_copy(update=present))
            if written is not None:
                pulse.note_acknowledgement(began, stamp=append_time(written))
                heartbeat()
            await asyncio.sleep(ANNOUNCE_SECONDS)
    except asyncio.CancelledError:
        await _announce_once(publisher, announcement.model_copy(update={"leaving": True}))
        raise


async def _announce_once(publisher: Publisher, announcement: WorkerAnnounced) -> RecordMetadata | None:
    worker = announcement.worker_id
    try:
        return await publisher.publish(publisher.topics.workers, announcement, key=worker, id=worker, subject=worker)
    except NotWrittenError:
        log.warning("announcement.not_written", worker_id=worker)
        return None


async def watch(
    bus: Bus, liveness: Liveness, changed: Callable[[], None], heartbeat: Callable[[], None] = ignore_step
) -> None:
    """Follows the announcements for ever, from some before the end as it is now; `changed` after each read that brought
    some."""
    async with PartitionReader(bus, bus.topics.workers, heartbeat).running() as follower:
        end = (await follower.ends([0]))[0]
        first = (await follower.firsts([0]))[0]
        follower.assign({0: max(first, end - READ_BACK)})
        announcements = Announcements()
        while True:
            records = await follower.next()
            for record in records:
                announcement = announcements.read(record)
                if announcement is not None:
                    take = liveness.remember if record.offset < end else liveness.note_heartbeat
                    take(announcement, append_time(record))
            if records:
                changed()
