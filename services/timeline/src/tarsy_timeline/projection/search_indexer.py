"""Writer of the search index: the words of what the projector wrote, beside it and a moment later."""

import asyncio
from collections.abc import Callable, Sequence

import structlog

from tarsy_bus.retries import draw_growing_pauses
from tarsy_timeline.database.pool import Connection, Database
from tarsy_timeline.database.sql import QUERIES
from tarsy_timeline.projection.postgres_errors import is_of_the_database, reason_of

log = structlog.get_logger(__name__)

LOOK_SECONDS = 0.5
"""Between two looks, unless the queue holds more than one takes: what a session adds meanwhile is indexed once."""
AT_ONCE = 50
"""Rows of the queue in one transaction."""
EVENTS_AT_ONCE = 500
"""Timeline events in one statement: each has at most 32 kB."""


class SearchIndexer:
    """Several may run: each takes rows of the queue that nobody else has. Work that is half done stays there."""

    def __init__(self, database: Database, *, look_seconds: float = LOOK_SECONDS) -> None:
        self._database = database
        self._look_seconds = look_seconds

    async def run(self, heartbeat: Callable[[], None]) -> None:
        """Until it is cancelled. While PostgreSQL is away, the queue keeps what is to be done."""
        pauses = draw_growing_pauses()
        while True:
            try:
                found = await self.index_some()
            except Exception as problem:
                if not is_of_the_database(problem):
                    raise
                log.warning("search.database_unusable", reason=reason_of(problem))
                await asyncio.sleep(next(pauses))
                continue
            pauses = draw_growing_pauses()
            heartbeat()
            await asyncio.sleep(0 if found == AT_ONCE else self._look_seconds)

    async def index_some(self) -> int:
        """Returns how many rows of the queue are done. Raises what is_of_the_database."""
        async with self._database.connection() as connection, connection.transaction():
            rows = await connection.fetch(QUERIES["take_search_queue"], AT_ONCE)
            if rows:
                await _index_sessions(connection, sorted({row["session_id"] for row in rows}))
                await connection.execute(QUERIES["leave_search_queue"], [row["id"] for row in rows])
        return len(rows)


async def _index_sessions(connection: Connection, session_ids: Sequence[str]) -> None:
    """A session that PostgreSQL cannot index is found by no search, and costs no other."""
    try:
        async with connection.transaction():
            await connection.execute(QUERIES["index_alerts"], session_ids)
            while await _index_events(connection, session_ids) == EVENTS_AT_ONCE:
                pass
            await connection.execute(QUERIES["forget_deleted_texts"], session_ids)
    except Exception as problem:
        if is_of_the_database(problem):
            raise
        if len(session_ids) == 1:
            log.error("search.not_indexed", session_id=session_ids[0], reason=reason_of(problem))
            return
        for session_id in session_ids:
            await _index_sessions(connection, [session_id])


async def _index_events(connection: Connection, session_ids: Sequence[str]) -> int:
    done: str = await connection.execute(QUERIES["index_timelines"], session_ids, EVENTS_AT_ONCE)
    return int(done.rpartition(" ")[2])
