"""Writes accepted records to the tables so that one that cannot be written costs nobody but itself."""

from collections.abc import Callable, Sequence
from datetime import datetime

import structlog

from tarsy_contracts.recorded import RecordedEvent
from tarsy_timeline.database import Connection
from tarsy_timeline.metrics import Metrics
from tarsy_timeline.postgres_errors import is_of_the_record, reason_of
from tarsy_timeline.postgres_text import to_index_text
from tarsy_timeline.projection import Batch, Row, Statement, moved, statements
from tarsy_timeline.projection_checkpoint import ProjectionCheckpoint
from tarsy_timeline.sql import QUERIES

log = structlog.get_logger(__name__)

MOVE_SESSION = "move_session"


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
        try:
            await self._checkpoint.write(partition, start, end, _batch(records))
        except Exception as problem:
            if not is_of_the_record(problem) or not records:
                raise
            if len(records) == 1:
                await self._write_aside(partition, start, end, records[0])
                return
            half = len(records) // 2
            between = records[half].offset
            await self.write(partition, start, between, records[:half])
            await self.write(partition, between, end, records[half:])

    async def _write_aside(self, partition: int, start: int, end: int, record: RecordedEvent) -> None:
        """The session's chain and whatever else of the record can be written; and a row that tells what could not."""
        async with self._checkpoint.moving(partition, start, end, record) as connection:
            failed = await _write_what_can_be(connection, record)
            await connection.execute(QUERIES["set_aside"], *_row(record, failed, self._now()))
        self._metrics.set_aside(record.envelope.type)
        log.error(
            "record.unprojected",
            session_id=record.session_id,
            type=record.envelope.type,
            partition=partition,
            offset=record.offset,
            reason="; ".join(failed),
        )


def _batch(records: Sequence[RecordedEvent]) -> Batch:
    batch = Batch()
    for record in records:
        batch.add(record)
    return batch


async def _write_what_can_be(connection: Connection, record: RecordedEvent) -> list[str]:
    """Why the rest cannot, by statement. The chain goes first: without its row no other has a session."""
    failed: list[str] = []
    found: list[Statement] = [(MOVE_SESSION, moved(record, record.envelope.time))]
    try:
        found += statements(record)
    except Exception as mistake:  # noqa: BLE001 - a mistake of ours costs this record, and nobody waits for its end
        failed.append(f"projection: {reason_of(mistake)}")
    for name, row in found:
        problem = await _attempt(connection, name, row)
        if problem is not None:
            failed.append(f"{name}: {reason_of(problem)}")
    return failed


async def _attempt(connection: Connection, name: str, row: Row) -> Exception | None:
    try:
        async with connection.transaction():
            await connection.execute(QUERIES[name], *row)
    except Exception as problem:
        if not is_of_the_record(problem):
            raise
        return problem
    return None


def _row(record: RecordedEvent, failed: Sequence[str], now: datetime) -> Row:
    names = (to_index_text(record.session_id), record.number, to_index_text(record.envelope.type))
    return (record.partition, record.offset, *names, "; ".join(failed), now)
