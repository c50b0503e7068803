"""Source of a result's text: the log or the topic of stored results, read piece by piece."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial

from tarsy_bus.client.connection import Bus
from tarsy_bus.readers.at_offsets import RecordsGoneError, records_at
from tarsy_bus.readers.outage_retry import TimeLimit, read_through_outages
from tarsy_bus.readers.partition_reader import Record
from tarsy_bus.readers.records import parse_record
from tarsy_contracts.events import EVENTS, StoredResult, ToolCallCompleted
from tarsy_contracts.events.recorded import UnknownTypeError, UnreadableValueError
from tarsy_contracts.messages.requests import LogPosition, ResultPlace
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


async def open_source(bus: Bus, position: ResultPlace, limit: TimeLimit) -> ResultSource:
    """Raises ResultGoneError, and KafkaUnreachableError at the limit: an outage is waited out until then.

    So do its pieces. They are read when they are asked for, and have to be closed.
    """
    if position.stored is None:
        return await open_logged_source(bus, position.call_id, position.event, limit)
    return _open_stored_source(bus, position.call_id, position.stored, limit)


async def open_logged_source(bus: Bus, call_id: str, at: LogPosition, limit: TimeLimit) -> ResultSource:
    """The same for a caller that knows only where the event of the result lies."""
    completed = await read_logged_result(bus, at, limit, call_id=call_id)
    if completed.stored is None:
        return text_source(completed.content)
    return _open_stored_source(bus, call_id, completed.stored, limit)


def _open_stored_source(bus: Bus, call_id: str, stored: StoredResult, limit: TimeLimit) -> ResultSource:
    return ResultSource(stored.lines, stored.size, read_stored_pieces(bus, stored, limit, call_id=call_id))


def text_source(text: str) -> ResultSource:
    """Source of a text that is here already."""
    content = text.encode(errors="replace")
    return ResultSource(count_lines(content), len(content), _yield_once(content))


async def _yield_once(content: bytes) -> AsyncGenerator[bytes]:
    yield content


async def read_stored_pieces(
    bus: Bus, stored: StoredResult, limit: TimeLimit, *, call_id: str | None
) -> AsyncGenerator[bytes]:
    """A caller that does not know the call (None) checks sizes only. Raises as `open_source` does; to be closed."""
    sizes = {piece.offset: piece.size for piece in stored.pieces}
    try:
        async with aclosing(_read_records(bus, bus.topics.results, stored.partition, list(sizes), limit)) as records:
            async for record in records:
                value = record.value or b""
                is_its = call_id is None or record.key == call_id.encode()
                if not is_its or len(value) != sizes[record.offset]:
                    raise ResultGoneError(f"offset {record.offset} holds something else")
                yield value
    except RecordsGoneError as problem:
        raise ResultGoneError(f"it is no longer there: {problem}") from problem


async def read_logged_result(bus: Bus, at: LogPosition, limit: TimeLimit, *, call_id: str | None) -> ToolCallCompleted:
    """The event of a result. Raises as `open_source` does, also when it is another call's (None: any call's)."""
    try:
        async with aclosing(_read_records(bus, bus.topics.sessions, at.partition, [at.offset], limit)) as records:
            found = [parse_record(record) async for record in records]
        event = found[0].decode(EVENTS) if found[0] is not None else None
    except (RecordsGoneError, UnknownTypeError, UnreadableValueError) as problem:
        raise ResultGoneError(f"it is no longer there: {problem}") from problem
    if not isinstance(event, ToolCallCompleted) or call_id not in (None, event.call_id):
        raise ResultGoneError(f"partition {at.partition}, offset {at.offset} holds something else")
    return event


def _read_records(
    bus: Bus, topic: str, partition: int, offsets: Sequence[int], limit: TimeLimit
) -> AsyncGenerator[Record]:
    return read_through_outages(partial(records_at, bus, topic, partition), offsets, limit)
