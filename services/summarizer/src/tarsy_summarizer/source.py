"""Source text of a summary, read where the request says that it lies."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from functools import partial

from tarsy_bus.at_offsets import RecordsGoneError, records_at
from tarsy_bus.connection import Bus
from tarsy_bus.outage_retry import TimeLimit, read_through_outages
from tarsy_bus.partition_reader import Record, parse_record
from tarsy_contracts.events import EVENTS, StoredResult, ToolCallCompleted
from tarsy_contracts.recorded import UnknownTypeError, UnreadableValueError
from tarsy_contracts.requests import LogPosition, SummaryRequest
from tarsy_summarizer.errors import SummarizerError


class SourceGoneError(SummarizerError):
    """The source that the request points at is not there (any longer). The model goes on without a summary."""


async def read_source(bus: Bus, request: SummaryRequest, limit: TimeLimit) -> AsyncGenerator[bytes]:
    """The text, a piece after the other. An outage of Kafka is waited out.

    Raises SourceGoneError, and KafkaUnreachableError at the limit. To be closed.
    """
    if request.stored is None:
        yield await _content(bus, request.result_event, limit)
        return
    async with aclosing(_pieces(bus, request.stored, limit)) as pieces:
        async for piece in pieces:
            yield piece


async def _pieces(bus: Bus, stored: StoredResult, limit: TimeLimit) -> AsyncGenerator[bytes]:
    size = 0
    offsets = [piece.offset for piece in stored.pieces]
    async with aclosing(_records(bus, bus.topics.results, stored.partition, offsets, limit)) as records:
        async for record in records:
            value = record.value or b""
            size += len(value)
            yield value
    if size != stored.size:
        raise SourceGoneError(f"the stored result has {size} bytes, not {stored.size}")


async def _content(bus: Bus, place: LogPosition, limit: TimeLimit) -> bytes:
    async with aclosing(_records(bus, bus.topics.sessions, place.partition, [place.offset], limit)) as records:
        (found,) = [parse_record(record) async for record in records]
    try:
        event = found.decode(EVENTS) if found is not None else None
    except (UnknownTypeError, UnreadableValueError) as problem:
        raise SourceGoneError(f"the event of the result cannot be read: {problem}") from problem
    if not isinstance(event, ToolCallCompleted):
        raise SourceGoneError(f"the log holds no result at partition {place.partition}, offset {place.offset}")
    return event.content.encode(errors="replace")


async def _records(
    bus: Bus, topic: str, partition: int, offsets: Sequence[int], limit: TimeLimit
) -> AsyncGenerator[Record]:
    try:
        async with aclosing(
            read_through_outages(partial(records_at, bus, topic, partition), offsets, limit)
        ) as records:
            async for record in records:
                yield record
    except RecordsGoneError as problem:
        raise SourceGoneError(f"{topic} no longer holds what the request points at: {problem}") from problem
