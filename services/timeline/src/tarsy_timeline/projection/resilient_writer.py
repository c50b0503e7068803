"""Writes accepted records to the tables so that one that cannot be written, or read, costs nobody but itself."""

from collections.abc import Callable, Sequence
from datetime import datetime

import structlog

from tarsy_contracts.events import SessionDeleted
from tarsy_contracts.events.recorded import RecordedEvent
from tarsy_timeline.database.pool import Connection
from tarsy_timeline.metrics import Metrics
from tarsy_timeline.projection.checkpoint import ProjectionCheckpoint
from tarsy_timeline.projection.postgres_errors import is_of_the_record, reason_of
from tarsy_timeline.projection.projection import Batch, build_move, row_changes
from tarsy_timeline.projection.unknown_events import explain_unknown
from tarsy_timeline.rows.column_texts import storable
from tarsy_timeline.rows.row_changes import RowChange, UnprojectedRecord
from tarsy_timeline.rows.row_statements import STATEMENTS

log = structlog.get_logger(__name__)


class ResilientWriter:
    """Each write is a transaction that moves the position: what it raises leaves nothing half done."""

    def __init__(self, checkpoint: ProjectionCheckpoint, metrics: Metrics, now: Callable[[], datetime]) -> None:
        self._checkpoint = checkpoint
        self._metrics = metrics
        self._now = now

    async def write(self, partition: int, start: int, end: int, records: Sequence[RecordedEvent]) -> None:
        """All records between two positions. A batch that fails is halved until the record that fails stands alone.

        Raises PositionMovedError, or what is_of_the_database; then the position stands somewhere between the two.
        """
        with self._metrics.duration.time():
            for some in split_at_new_lives(records)[:-1]:
                between = some[-1].offset + 1
                await self._write_or_split(partition, start, between, some)
                start, records = between, records[len(some) :]
            await self._write_or_split(partition, start, end, records)

    async def _write_or_split(self, partition: int, start: int, end: int, records: Sequence[RecordedEvent]) -> None:
        unknown = [(record, reason) for record in records if (reason := explain_unknown(record)) is not None]
        try:
            batch = _build_batch(records)
            for record, reason in unknown:
                batch.add_change(_to_unprojected(record, reason, self._now()))
            await self._checkpoint.write(partition, start, end, batch)
        except Exception as problem:
            if not is_of_the_record(problem) or not records:
                raise
            if len(records) == 1:
                await self._write_aside(partition, start, end, records[0])
                return
            half = len(records) // 2
            between = records[half].offset
            await self._write_or_split(partition, start, between, records[:half])
            await self._write_or_split(partition, between, end, records[half:])
        else:
            for record, reason in unknown:
                self._log_set_aside(record, reason)

    async def _write_aside(self, partition: int, start: int, end: int, record: RecordedEvent) -> None:
        """The session's chain and whatever else of the record can be written; and a row with what could not."""
        async with self._checkpoint.moving(partition, start, end, record) as connection:
            reason = "; ".join(await _write_what_can_be(connection, record))
            await _execute_change(connection, _to_unprojected(record, reason, self._now()))
        self._log_set_aside(record, reason)

    def _log_set_aside(self, record: RecordedEvent, reason: str) -> None:
        self._metrics.set_aside(record.envelope.type)
        log.error(
            "record.unprojected",
            session_id=record.session_id,
            type=record.envelope.type,
            partition=record.partition,
            offset=record.offset,
            reason=reason,
        )


def split_at_new_lives(records: Sequence[RecordedEvent]) -> list[Sequence[RecordedEvent]]:
    """Pieces in none of which a session goes on that was deleted before: what deletes is written last."""
    pieces, first, deleted = [], 0, set[str]()
    for index, record in enumerate(records):
        if record.session_id in deleted:
            pieces.append(records[first:index])
            first, deleted = index, set()
        if isinstance(record.event, SessionDeleted):
            deleted.add(record.session_id)
    return [*pieces, records[first:]]


def _build_batch(records: Sequence[RecordedEvent]) -> Batch:
    batch = Batch()
    for record in records:
        batch.add(record)
    return batch


async def _write_what_can_be(connection: Connection, record: RecordedEvent) -> list[str]:
    """Why the rest cannot, by statement. The chain goes first: without its row no other has a session."""
    reason = explain_unknown(record)
    failed = [] if reason is None else [reason]
    found: list[RowChange] = [build_move(record, record)]
    try:
        found += row_changes(record)
    except Exception as mistake:  # noqa: BLE001 - a mistake of ours costs this record, and nobody waits for its end
        failed.append(f"projection: {reason_of(mistake)}")
    for change in found:
        problem = await _try_change(connection, change)
        if problem is not None:
            failed.append(f"{STATEMENTS[type(change)].name}: {reason_of(problem)}")
    return failed


async def _try_change(connection: Connection, change: RowChange) -> Exception | None:
    try:
        async with connection.transaction():
            await _execute_change(connection, change)
    except Exception as problem:
        if not is_of_the_record(problem):
            raise
        return problem
    return None


async def _execute_change(connection: Connection, change: RowChange) -> None:
    await connection.execute(STATEMENTS[type(change)].sql, *change)


def _to_unprojected(record: RecordedEvent, reason: str, now: datetime) -> UnprojectedRecord:
    named = UnprojectedRecord(
        partition=record.partition,
        log_offset=record.offset,
        session_id=record.session_id,
        number=record.number,
        event_type=record.envelope.type,
        reason=reason,
        failed_at=now,
    )
    return storable(named)
