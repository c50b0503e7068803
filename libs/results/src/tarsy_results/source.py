"""Source of a result's text: the log or the topic of stored results, read piece by piece."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial

from tarsy_bus.at_offsets import RecordsGoneError, records_at
from tarsy_bus.connection import Bus
from tarsy_bus.outage_retry import TimeLimit, read_through_outages
from tarsy_bus.partition_reader import Record, parse_record
from tarsy_contracts.events import EVENTS, StoredResult, ToolCallCompleted
from tarsy_contracts.recorded import UnknownTypeError, UnreadableValueError
from tarsy_contracts.requests import ResultPlace
from tarsy_results.errors import ResultError
from tarsy_results.text import count_lines


class ResultGoneError(ResultError):
    """It does not lie any longer where it lay. The caller goes on without it."""


@dataclass(frozen=True, slots=True)
class ResultSource:
    """`lines` and `size` of what is kept, which is masked. `pieces` never end inside a character."""

    lines: int
    size: int
    pieces: AsyncGenerator[bytes]


async def open_source(bus: Bus, place: ResultPlace, limit: TimeLimit) -> ResultSource:
    """Raises ResultGoneError, and KafkaUnreachableError at the limit: an outage is waited out until then.

    So do its pieces. They are read when they are asked for, and have to be closed.
    """
    if place.stored is not None:
        return ResultSource(place.stored.lines, place.stored.size, _stored(bus, place.call_id, place.stored, limit))
    content = await _content(bus, place, limit)
    return ResultSource(count_lines(content), len(content), _alone(content))


async def _alone(content: bytes) -> AsyncGenerator[bytes]:
    yield content


async def _stored(bus: Bus, call_id: str, stored: StoredResult, limit: TimeLimit) -> AsyncGenerator[bytes]:
    sizes = {piece.offset: piece.size for piece in stored.pieces}
    try:
        async with aclosing(_records(bus, bus.topics.results, stored.partition, list(sizes), limit)) as records:
            async for record in records:
                value = record.value or b""
                if record.key != call_id.encode() or len(value) != sizes[record.offset]:
                    raise ResultGoneError(f"offset {record.offset} holds something else")
                yield value
    except RecordsGoneError as problem:
        raise ResultGoneError(str(problem)) from problem


async def _content(bus: Bus, place: ResultPlace, limit: TimeLimit) -> bytes:
    at = place.event
    try:
        async with aclosing(_records(bus, bus.topics.sessions, at.partition, [at.offset], limit)) as records:
            found = [parse_record(record) async for record in records]
        event = found[0].decode(EVENTS) if found[0] is not None else None
    except (RecordsGoneError, UnknownTypeError, UnreadableValueError) as problem:
        raise ResultGoneError(str(problem)) from problem
    if not isinstance(event, ToolCallCompleted) or event.call_id != place.call_id:
        raise ResultGoneError(f"partition {at.partition}, offset {at.offset} holds something else")
    return event.content.encode(errors="replace")


def _records(bus: Bus, topic: str, partition: int, offsets: Sequence[int], limit: TimeLimit) -> AsyncGenerator[Record]:
    return read_through_outages(partial(records_at, bus, topic, partition), offsets, limit)
