"""Labels of deleted sessions, kept for KEPT: gateways ask by them who is told of the deletion."""

from collections.abc import Callable
from datetime import datetime, timedelta

from tarsy_timeline.database.periodic import run_periodically
from tarsy_timeline.database.pool import Database
from tarsy_timeline.database.sql import QUERIES

KEPT = timedelta(hours=1)
"""A gateway holds a message for a minute at most until it is judged."""
LOOK_SECONDS = 10.0
"""A loop without a step for a minute counts as stuck."""


class DeletedLabels:
    """`now` is the time of the wall clock."""

    def __init__(self, database: Database, now: Callable[[], datetime], *, look_seconds: float = LOOK_SECONDS) -> None:
        self._database = database
        self._now = now
        self._look_seconds = look_seconds

    async def run(self, heartbeat: Callable[[], None]) -> None:
        """Until it is cancelled. While PostgreSQL is away, the labels stay."""
        await run_periodically(self.forget, heartbeat, self._look_seconds)

    async def forget(self) -> None:
        async with self._database.connection() as connection:
            await connection.execute(QUERIES["forget_deleted_labels"], self._now() - KEPT)
