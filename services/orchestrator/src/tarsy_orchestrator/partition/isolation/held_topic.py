"""Access to `tarsy.held` for one partition: writes and reads are repeated until they succeed."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import aclosing

import structlog
from aiokafka.errors import KafkaError

from tarsy_bus.client.connection import Bus
from tarsy_bus.client.publisher import NotWrittenError, Publisher, TooLargeError
from tarsy_bus.dead_letters.burial import dead_letter_until_written
from tarsy_bus.readers.at_offsets import records_at
from tarsy_bus.readers.held_sessions import HeldInput, read_held
from tarsy_bus.readers.partition_reader import Record
from tarsy_bus.readers.records import append_time
from tarsy_bus.retries import draw_growing_pauses, retry
from tarsy_contracts.messages.held import SessionSetAside, input_key, marker_key, own_headers, position_headers
from tarsy_contracts.wire.envelope import Headers
from tarsy_contracts.wire.ids import derive_id

log = structlog.get_logger(__name__)

FIRST_PAUSE_SECONDS = 0.1
LONGEST_PAUSE_SECONDS = 5.0
READ_SECONDS = 30.0


class HeldTopic:
    def __init__(self, publisher: Publisher, bus: Bus, partition: int) -> None:
        self._publisher = publisher
        self._bus = bus
        self._partition = partition

    async def mark(self, session_id: str, why: SessionSetAside) -> None:
        await _repeat_until_done(
            lambda: self._publisher.publish(
                self._bus.topics.held,
                why,
                key=marker_key(session_id),
                id=derive_id("held", session_id),
                subject=session_id,
                partition=self._partition,
            )
        )

    async def hold(self, session_id: str, record: Record) -> HeldInput | None:
        """Writes an input of the inbox. Returns None for one that is too large with its place: it is a dead letter."""
        headers = [*_headers_of(record), *position_headers(record.offset, append_time(record))]
        try:
            written = await _repeat_until_done(
                lambda: self._publisher.write(
                    self._bus.topics.held,
                    key=input_key(session_id, record.offset).encode(),
                    value=record.value or b"",
                    headers=headers,
                    partition=self._partition,
                )
            )
        except TooLargeError:
            await self.dead_letter(record, "its session is set aside, and it is too large to be held")
            return None
        return HeldInput(append_time(record), written.offset)

    async def put_back(self, record: Record) -> int:
        """Appends an input to the inbox once more; returns where it lies there now."""
        written = await _repeat_until_done(
            lambda: self._publisher.write(
                self._bus.topics.inbox,
                key=_session_key(record),
                value=record.value or b"",
                headers=own_headers(_headers_of(record)),
                partition=self._partition,
            )
        )
        offset: int = written.offset
        return offset

    async def dead_letter(self, record: Record, reason: str) -> None:
        await dead_letter_until_written(self._publisher, record, reason)

    async def forget(self, session_id: str, offsets: Mapping[int, HeldInput]) -> None:
        """Writes tombstones; the marker's comes last."""
        for offset in offsets:
            await self._write_tombstone(input_key(session_id, offset))
        await self._write_tombstone(marker_key(session_id))

    async def read(self, positions: list[int]) -> list[Record]:
        """Returns the records at these positions, in the order asked for. Raises RecordsGoneError."""
        return await _repeat_until_done(lambda: self._read_records(positions))

    async def inputs(self, session_id: str) -> dict[int, HeldInput]:
        """Returns where the inputs of a session lie now."""
        found = await _repeat_until_done(lambda: self._read_inputs())
        return found.get(session_id, {})

    async def _read_records(self, positions: list[int]) -> list[Record]:
        found: dict[int, Record] = {}
        async with asyncio.timeout(READ_SECONDS):
            reading = records_at(self._bus, self._bus.topics.held, self._partition, sorted(positions))
            async with aclosing(reading):
                async for record in reading:
                    found[record.offset] = record
        return [found[position] for position in positions]

    async def _read_inputs(self) -> dict[str, dict[int, HeldInput]]:
        async with asyncio.timeout(READ_SECONDS):
            found = (await read_held(self._bus, [self._partition]))[self._partition]
        return {session_id: one.inputs for session_id, one in found.items()}

    async def _write_tombstone(self, key: str) -> None:
        await _repeat_until_done(
            lambda: self._publisher.write(
                self._bus.topics.held, key=key.encode(), value=None, headers=[], partition=self._partition
            )
        )


async def _repeat_until_done[T](attempt: Callable[[], Awaitable[T]]) -> T:
    """Waits outages out. Raises TooLargeError or RecordsGoneError, which no repetition mends."""
    return await retry(
        attempt,
        passes=lambda problem: isinstance(problem, NotWrittenError | KafkaError | TimeoutError),
        failed=lambda problem, pause: log.warning("held.not_done", problem=type(problem).__name__),
        pauses=draw_growing_pauses(FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS),
    )


def _headers_of(record: Record) -> Headers:
    return [(name, value or b"") for name, value in record.headers]


def _session_key(record: Record) -> bytes:
    """The key that it had in the inbox: its session's id, as the envelope says."""
    return dict(_headers_of(record)).get("ce_subject", b"")
