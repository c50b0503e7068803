"""Checkpoint of the projection: which log it is of, how far it was read, and every session's last event."""

from collections.abc import AsyncIterator, Collection, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import batched

from tarsy_bus.acceptance import LastAccepted, LogMismatchError
from tarsy_contracts.events.heads import SessionHead
from tarsy_contracts.events.recorded import RecordedEvent
from tarsy_timeline.database.pool import Connection, Database
from tarsy_timeline.database.postgres_text import to_index_text
from tarsy_timeline.database.sql import QUERIES, REBUILD
from tarsy_timeline.errors import TimelineError
from tarsy_timeline.projection.projection import Batch

KEPT_AT_ONCE = 1_000


class PositionMovedError(TimelineError):
    """Another projector went on with this partition. The caller reads its position again."""


@dataclass(frozen=True, slots=True)
class LogIdentity:
    cluster_id: str
    topic: str


@dataclass(frozen=True, slots=True)
class LastRecord:
    offset: int
    event_id: str


class ProjectionCheckpoint:
    """Raises one of database.UNREACHABLE while PostgreSQL is away; nothing is half done then."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def begin(self, identity: LogIdentity, positions: Mapping[int, int]) -> None:
        """The first call keeps both; later ones compare the identity and keep the positions that are on record.

        Raises LogMismatchError for another log.
        """
        async with self._database.connection() as connection, connection.transaction():
            await connection.execute(QUERIES["claim_identity"], identity.cluster_id, identity.topic)
            row = await connection.fetchrow(QUERIES["read_identity"])
            if row is not None and (row["cluster_id"], row["topic"]) != (identity.cluster_id, identity.topic):
                raise LogMismatchError(
                    f"these tables were projected from topic {row['topic']} of cluster {row['cluster_id']}, but this "
                    f"is topic {identity.topic} of cluster {identity.cluster_id}: project another log into "
                    "a fresh schema (TARSY_DATABASE_SCHEMA)"
                )
            await connection.executemany(QUERIES["begin_position"], list(positions.items()))

    async def keep_deleted(self, partition: int, sessions: Iterable[tuple[str, SessionHead]]) -> None:
        """The chain positions of deleted sessions that are no longer on the log. Those that are known stay."""
        for some in batched(sessions, KEPT_AT_ONCE, strict=False):
            rows = [(session_id, partition, head.number, head.event_id) for session_id, head in some]
            async with self._database.connection() as connection:
                await connection.executemany(REBUILD["keep_deleted"], rows)

    async def position(self, partition: int) -> int:
        """The position at which the partition continues."""
        async with self._database.connection() as connection:
            position: int = await connection.fetchval(QUERIES["read_position"], partition)
        return position

    async def last_records(self, partitions: Collection[int]) -> dict[int, LastRecord]:
        """The last event of each partition that counted; of those that have one on record."""
        async with self._database.connection() as connection:
            rows = await connection.fetch(QUERIES["read_last_records"], list(partitions))
        return {row["partition"]: LastRecord(row["last_offset"], row["last_event_id"]) for row in rows}

    async def last_events(self, partition: int, session_ids: Collection[str]) -> dict[str, LastAccepted]:
        """The last accepted event of each of these sessions, where it has one in the partition.

        The current state: another projector may have advanced it. Then what is written next is refused.
        """
        # PostgreSQL refuses a question with such a text, and holds no session of that name.
        session_ids = [one for one in session_ids if "\0" not in one]
        async with self._database.connection() as connection:
            rows = await connection.fetch(QUERIES["read_chains"], partition, session_ids)
        return {row["session_id"]: LastAccepted(row["last_event_id"], row["last_number"]) for row in rows}

    async def write(self, partition: int, start: int, end: int, batch: Batch) -> None:
        """All of it or nothing. Raises PositionMovedError when the projection does not stand at `start`."""
        async with self.moving(partition, start, end, batch.last) as connection:
            for statement, changes in batch.in_order():
                await connection.executemany(statement.sql, changes)

    @asynccontextmanager
    async def moving(
        self, partition: int, start: int, end: int, last: RecordedEvent | None
    ) -> AsyncIterator[Connection]:
        """A transaction that moves the position, for the rows of the records between. Raises PositionMovedError.

        `last`: the last one of them that counts.
        """
        async with self._database.connection() as connection, connection.transaction():
            await _move_position(connection, partition, start, end, last)
            yield connection


async def _move_position(
    connection: Connection, partition: int, start: int, end: int, last: RecordedEvent | None
) -> None:
    """First in the transaction, as it locks the row: a second projector waits here, and learns that it lost."""
    seen = (None, None) if last is None else (last.offset, to_index_text(last.envelope.id))
    moved = await connection.execute(QUERIES["move_position"], partition, start, end, *seen)
    if moved != "UPDATE 1":
        raise PositionMovedError(f"partition {partition} does not stand at {start} any more")
