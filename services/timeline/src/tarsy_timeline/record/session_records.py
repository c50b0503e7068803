"""Events of a session, read from the spans of the log in which they lie. Bounded in bytes, time and number."""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager

import structlog
from aiokafka.errors import KafkaError

from tarsy_bus.acceptance import ChainTracker, LastAccepted, LogMismatchError
from tarsy_bus.connection import Bus
from tarsy_bus.partition_reader import Record, parse_record
from tarsy_bus.span_readers import SpanReaders
from tarsy_contracts.heads import Span
from tarsy_contracts.recorded import RecordedEvent
from tarsy_service.problems import ProblemError
from tarsy_timeline.record_place import RecordPlace

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
GONE = "The events of this session are no longer kept: its record cannot be made again."

type Events = tuple[RecordedEvent, ...]


class SessionRecords:
    def __init__(self, bus: Bus) -> None:
        self._readers = SpanReaders(bus, bus.topics.sessions, at_once=READS_AT_ONCE)
        self._kept: OrderedDict[str, tuple[LastAccepted, Events, int]] = OrderedDict()
        self._size = 0

    @asynccontextmanager
    async def running(self) -> AsyncIterator["SessionRecords"]:
        async with self._readers.running():
            yield self

    async def read(self, place: RecordPlace) -> Events:
        """All events, from the first to `place.last`. Raises ProblemError."""
        kept = self._kept.get(place.session_id)
        if kept is not None and kept[0] == place.last:
            self._kept.move_to_end(place.session_id)
            return kept[1]
        events, size = await self._read(place)
        self._keep(place, events, size)
        return events

    async def _read(self, place: RecordPlace) -> tuple[Events, int]:
        try:
            async with asyncio.timeout(READ_SECONDS), self._readers.borrowed() as reader:
                for spans in _ways(place.spans):
                    taking = _SpanRecords(place.session_id.encode())
                    await reader.read(place.partition, spans, taking.take)
                    # In a thread: bodies of megabytes take longer than others should wait.
                    events = await asyncio.to_thread(_accepted, place, taking.records)
                    if events is not None:
                        return events, taking.size
                raise ProblemError(410, "Gone", GONE)
        except TimeoutError as problem:
            raise ProblemError(503, "Service unavailable", TOO_LATE) from problem
        except (KafkaError, OSError, LogMismatchError) as problem:
            log.warning("record.unreadable", session_id=place.session_id, reason=repr(problem))
            raise ProblemError(503, "Service unavailable", UNREADABLE) from problem

    def _keep(self, place: RecordPlace, events: Events, size: int) -> None:
        """Evicts the least recently used."""
        before = self._kept.pop(place.session_id, None)
        self._size += size - (0 if before is None else before[2])
        self._kept[place.session_id] = (place.last, events, size)
        while self._size > KEPT_BYTES and len(self._kept) > 1:
            self._size -= self._kept.popitem(last=False)[1][2]


class _SpanRecords:
    """Takes the records of one session; others lie between them."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self.records: list[Record] = []
        self.size = 0

    def take(self, record: Record) -> None:
        """Raises ProblemError."""
        if record.key != self._key:
            return
        self.records.append(record)
        self.size += len(record.value or b"") + EVENT_BYTES
        if self.size > MOST_BYTES:
            raise ProblemError(422, "Not possible", TOO_LARGE)


def _ways(spans: tuple[Span, ...]) -> Iterator[tuple[Span, ...]]:
    """First the spans; then all between, as a projector of an older version may have left some out."""
    yield spans
    if len(spans) > 1:
        yield (Span(first=spans[0].first, last=spans[-1].last),)


def _accepted(place: RecordPlace, records: Sequence[Record]) -> Events | None:
    """None when they do not lead from the first event to the last: never a record with holes."""
    chains, events = ChainTracker(), list[RecordedEvent]()
    for record in records:
        delivery = parse_record(record)
        if delivery is None or delivery.envelope.subject != place.session_id:
            continue
        if chains.accept(delivery.mark()):
            events.append(delivery.recorded())
        if chains.last(place.session_id) == place.last:
            return tuple(events)
    return None
