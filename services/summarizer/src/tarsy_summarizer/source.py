"""What is to be shortened, read where the request says that it lies."""

from contextlib import aclosing

from tarsy_bus.at_offsets import RecordsGone, records_at
from tarsy_bus.connection import Bus
from tarsy_bus.following import Record, readable
from tarsy_contracts.events import EVENTS, StoredResult, ToolCallCompleted
from tarsy_contracts.recorded import UnknownType, UnreadableValue
from tarsy_contracts.requests import LogPosition, SummaryRequest


class SourceGone(Exception):
    """What the request points at is not there (any longer)."""


async def read_source(bus: Bus, request: SummaryRequest) -> str:
    """Raises SourceGone."""
    if request.stored is not None:
        return await _pieces(bus, request.stored)
    return await _content(bus, request.result_event)


async def _pieces(bus: Bus, stored: StoredResult) -> str:
    found = await _records(bus, bus.topics.results, stored.partition, [piece.offset for piece in stored.pieces])
    whole = b"".join(record.value or b"" for record in found)
    if len(whole) != stored.size:
        raise SourceGone(f"the stored result has {len(whole)} bytes, not {stored.size}")
    # Pieces never end inside a character, but what is stored is not trusted to be text.
    return whole.decode(errors="replace")


async def _content(bus: Bus, place: LogPosition) -> str:
    (found,) = await _records(bus, bus.topics.sessions, place.partition, [place.offset])
    record = readable(found)
    try:
        event = record.decode(EVENTS) if record is not None else None
    except (UnknownType, UnreadableValue) as problem:
        raise SourceGone(f"the event of the result cannot be read: {problem}") from problem
    if not isinstance(event, ToolCallCompleted):
        raise SourceGone(f"the log holds no result at partition {place.partition}, offset {place.offset}")
    return event.content


async def _records(bus: Bus, topic: str, partition: int, offsets: list[int]) -> list[Record]:
    try:
        async with aclosing(records_at(bus, topic, partition, offsets)) as records:
            return [record async for record in records]
    except RecordsGone as problem:
        raise SourceGone(f"{topic} no longer holds what the request points at: {problem}") from problem
