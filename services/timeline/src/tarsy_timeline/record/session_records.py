"""Events of a session, read from the spans of the log in which they lie. Bounded in bytes, time and number."""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

import structlog
from aiokafka.errors import KafkaError

from tarsy_bus.acceptance import ChainTracker, LastAccepted, LogMismatchError, find_last_before_kept_life
from tarsy_bus.client.connection import Bus
from tarsy_bus.readers.partition_reader import Record
from tarsy_bus.readers.records import parse_record
from tarsy_bus.readers.span_readers import SpanReaders
from tarsy_contracts.events.heads import Span
from tarsy_contracts.events.recorded import RecordedEvent
from tarsy_service.http.problems import ProblemError
from tarsy_timeline.rows.record_place import RecordPlace

log = structlog.get_logger(__name__)

READ_SECONDS = 12.0
"""The page waits 15 seconds for an answer."""
READS_AT_ONCE = 2
MOST_BYTES = 64 * 1024 * 1024
"""Limit of one session: 1,000 results of the inline cap."""
KEPT_BYTES = 48 * 1024 * 1024
"""Limit of all sessions that were read lately. The newest is kept, however large it is."""
EVENT_BYTES = 2_000
"""Overhead of an event in memory, besides its own bytes."""
TOO_LATE = "It took too long, or too many records are being read at once. Try again."
TOO_LARGE = f"The events of this session are more than {MOST_BYTES // 1024**2} MiB: its record cannot be shown."
UNREADABLE = "The log cannot be read at the moment."
GONE = "The events of this session are no longer kept: its record cannot be shown."

type Events = tuple[RecordedEvent, ...]


@dataclass(frozen=True, slots=True)
class ReadEvents:
    """Events of a session from its first on, and their size in bytes."""

    events: Events = ()
    size: int = 0

    @property
    def last(self) -> LastAccepted | None:
        return LastAccepted(self.events[-1].envelope.id, self.events[-1].number) if self.events else None


NOTHING = ReadEvents()


class SessionRecords:
    def __init__(self, bus: Bus) -> None:
        self._readers = SpanReaders(bus, bus.topics.sessions, at_once=READS_AT_ONCE)
        self._kept: OrderedDict[str, ReadEvents] = OrderedDict()
        self._size = 0

    @asynccontextmanager
    async def running(self) -> AsyncIterator["SessionRecords"]:
        async with self._readers.running():
            yield self

    async def read(self, position: RecordPlace) -> Events:
        """All events, from the first to `place.last`. Those that are kept are not read again. Raises ProblemError."""
        kept = self._kept.get(position.session_id, NOTHING)
        if kept.last == position.last:
            self._kept.move_to_end(position.session_id)
            return kept.events
        found = await self._read_events(position, kept)
        self._cache_events(position.session_id, found)
        return found.events

    async def _read_events(self, position: RecordPlace, kept: ReadEvents) -> ReadEvents:
        try:
            async with asyncio.timeout(READ_SECONDS), self._readers.borrowed() as reader:
                for before, spans in _read_attempts(position, kept):
                    taking = _SpanRecords(position.session_id.encode(), before.size)
                    await reader.read(position.partition, spans, taking.take)
                    # In a thread: bodies of megabytes take longer than others should wait.
                    events = await asyncio.to_thread(_accept_events, position, before, taking.records)
                    if events is not None:
                        return ReadEvents(events, taking.size)
                raise ProblemError(410, "Gone", GONE)
        except TimeoutError as problem:
            raise ProblemError(503, "Service unavailable", TOO_LATE) from problem
        except (KafkaError, OSError, LogMismatchError) as problem:
            log.warning("record.unreadable", session_id=position.session_id, reason=repr(problem))
            raise ProblemError(503, "Service unavailable", UNREADABLE) from problem

    def _cache_events(self, session_id: str, found: ReadEvents) -> None:
        """Evicts the least recently used."""
        self._size += found.size - self._kept.pop(session_id, NOTHING).size
        self._kept[session_id] = found
        while self._size > KEPT_BYTES and len(self._kept) > 1:
            self._size -= self._kept.popitem(last=False)[1].size


class _SpanRecords:
    """Takes the records of one session; others lie between them."""

    def __init__(self, key: bytes, size: int) -> None:
        self._key = key
        self.records: list[Record] = []
        self.size = size

    def take(self, record: Record) -> None:
        """Raises ProblemError."""
        if record.key != self._key:
            return
        self.records.append(record)
        self.size += len(record.value or b"") + EVENT_BYTES
        if self.size > MOST_BYTES:
            raise ProblemError(422, "Not possible", TOO_LARGE)


def _read_attempts(position: RecordPlace, kept: ReadEvents) -> Iterator[tuple[ReadEvents, tuple[Span, ...]]]:
    """Reads first the records after the kept events, then all spans, then everything between them, as an older
    projector may have left some out.
    """
    if kept.events and kept.events[-1].number < position.last.number:
        end = kept.events[-1].offset
        rest = [Span(first=max(span.first, end + 1), last=span.last) for span in position.spans if span.last > end]
        yield kept, tuple(rest)
    yield NOTHING, position.spans
    if len(position.spans) > 1:
        yield NOTHING, (Span(first=position.spans[0].first, last=position.spans[-1].last),)


def _accept_events(position: RecordPlace, before: ReadEvents, records: Sequence[Record]) -> Events | None:
    """None when they do not lead from the first event to the last: never a record with holes."""
    known = {} if before.last is None else {position.session_id: before.last}
    chains, events = ChainTracker(known=known), [*before.events]
    for record in records:
        delivery = parse_record(record)
        if delivery is None or delivery.envelope.subject != position.session_id:
            continue
        mark = delivery.mark()
        if record.offset == position.spans[0].first and (earlier := find_last_before_kept_life(mark)) is not None:
            # The session was deleted before: what it held then is nobody's business any more.
            chains = ChainTracker(known={position.session_id: earlier})
        if chains.accept(mark):
            events.append(delivery.to_recorded_event())
        if chains.last(position.session_id) == position.last:
            return tuple(events)
    return None
