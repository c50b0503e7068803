"""Publisher of the public events: accepted events of the log, written to `tarsy.events` before they are projected.

It has no state of its own: what was published is read from the public topic (docs/decisions/0035).
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, aclosing
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog

from tarsy_bus.client.connection import Bus
from tarsy_bus.log.writer import BATCH_BYTES, AppendUncertainError, LogEntry, LogWriter
from tarsy_bus.pacing import Pacer
from tarsy_bus.readers.partition_reader import PartitionReader
from tarsy_bus.readers.published_events import LastPublished, read_last_published
from tarsy_contracts.events.recorded import RecordedEvent
from tarsy_contracts.public.mapping import public_envelope, public_event
from tarsy_contracts.wire.topics import FOREVER
from tarsy_timeline.errors import TimelineError
from tarsy_timeline.metrics import Metrics
from tarsy_timeline.projection.postgres_errors import reason_of

log = structlog.get_logger(__name__)


class EventsUnwritableError(TimelineError):
    """The public topic took no records in time; some may be written. The caller projects the batch again, later."""


@dataclass(frozen=True, slots=True)
class PublishingStart:
    """Where publishing begins in a partition: at a log offset, and with events that are not older than `oldest`."""

    offset: int = 0
    oldest: datetime | None = None

    def includes(self, record: RecordedEvent) -> bool:
        return record.offset >= self.offset and (self.oldest is None or record.appended_at >= self.oldest)


class PartitionPublisher:
    """Publishes accepted events of one partition of the log to the same partition of the public topic."""

    def __init__(self, number: int, beginning: PublishingStart, publisher: "EventPublisher") -> None:
        self._number = number
        self._publishing_start = beginning
        self._publisher = publisher

    async def publish(self, records: Sequence[RecordedEvent]) -> None:
        """Returns when all are acknowledged. Raises EventsUnwritableError."""
        due = [record for record in records if self._publishing_start.includes(record)]
        if due:
            await self._publisher.publish(self._number, due)


class EventPublisher:
    """One for a process. `source` of its events is the name of the topic: two systems of a cluster have two."""

    def __init__(self, bus: Bus, metrics: Metrics, now: Callable[[], datetime]) -> None:
        self._bus = bus
        self._topic = bus.topics.events
        self._writer = LogWriter(bus, self._topic)
        self._metrics = metrics
        self._now = now

    def running(self) -> AbstractAsyncContextManager[LogWriter]:
        return self._writer.running()

    async def open(self, follower: PartitionReader, numbers: Collection[int]) -> dict[int, PartitionPublisher]:
        """For partitions that begin to be projected. `follower` reads the session log. Raises KafkaError."""
        if not numbers:
            return {}
        published = await read_last_published(self._bus, numbers)
        known = await self._select_of_this_log(follower, published)
        return {
            number: PartitionPublisher(number, self._publishing_start(known.get(number)), self) for number in numbers
        }

    async def publish(self, number: int, records: Sequence[RecordedEvent]) -> None:
        """Raises EventsUnwritableError."""
        pacer = Pacer()
        entries: list[LogEntry] = []
        types: Counter[str] = Counter()
        for record in records:
            if (entry := self._to_log_entry(record)) is not None:
                entries.append(entry)
                types[record.envelope.type] += 1
            await pacer.let_others_run()
        for some in batches(entries):
            try:
                await self._writer.append(number, some)
            except AppendUncertainError as problem:
                raise EventsUnwritableError(f"{self._topic} cannot be written: {problem}") from problem
            except AssertionError as problem:
                # aiokafka's own: somebody made the topic anew, with fewer partitions.
                raise EventsUnwritableError(f"{self._topic} has no partition {number}") from problem
        self._metrics.count_published(types, [record.appended_at for record in records], self._now())

    def _to_log_entry(self, record: RecordedEvent) -> LogEntry | None:
        """None of what is not public, and of what cannot be published: that costs itself alone."""
        if record.event is None:
            return None
        try:
            event = public_event(record.event)
            if event is None:
                return None
            envelope = public_envelope(record, event, self._topic)
            entry = LogEntry(record.session_id.encode(), event.to_bytes(), envelope.headers())
        except Exception as mistake:  # noqa: BLE001 - a mistake of ours costs this event, and nobody waits for its end
            self._leave_out(record, reason_of(mistake))
            return None
        if entry.size > BATCH_BYTES:
            self._leave_out(record, f"{entry.size} bytes are above the limit")
            return None
        return entry

    def _leave_out(self, record: RecordedEvent, reason: str) -> None:
        self._metrics.count_left_out(record.envelope.type)
        log.error(
            "event.unpublished",
            session_id=record.session_id,
            type=record.envelope.type,
            partition=record.partition,
            offset=record.offset,
            reason=reason,
        )

    def _publishing_start(self, last: LastPublished | None) -> PublishingStart:
        """Without a public event: with what the topic would still keep, had it been published in time."""
        if last is not None:
            return PublishingStart(offset=last.log_offset + 1)
        kept = self._bus.layout.events_kept_ms
        return PublishingStart(oldest=None if kept == FOREVER else self._now() - timedelta(milliseconds=kept))

    async def _select_of_this_log(
        self, follower: PartitionReader, published: Mapping[int, LastPublished]
    ) -> dict[int, LastPublished]:
        """Leaves out those whose event is not at its position: it is another log, or an older copy continued."""
        firsts, ends = await follower.firsts(published), await follower.ends(published)
        known = {number: one for number, one in published.items() if one.log_offset < firsts[number]}
        looked_at = {
            number: one.log_offset
            for number, one in published.items()
            if firsts[number] <= one.log_offset < ends[number]
        }
        goals = {number: offset + 1 for number, offset in looked_at.items()}
        async with aclosing(follower.between(looked_at, goals)) as found:
            async for records in found:
                for record in records:
                    if dict(record.headers).get("ce_id") == published[record.partition].event_id.encode():
                        known[record.partition] = published[record.partition]
        for number in published.keys() - known.keys():
            log.warning("events.of_another_log", partition=number, offset=published[number].log_offset)
        return known


def batches(entries: Sequence[LogEntry]) -> Iterator[list[LogEntry]]:
    """In order, each within the limit of a batch."""
    batch: list[LogEntry] = []
    size = 0
    for entry in entries:
        if batch and size + entry.size > BATCH_BYTES:
            yield batch
            batch, size = [], 0
        batch.append(entry)
        size += entry.size
    if batch:
        yield batch
