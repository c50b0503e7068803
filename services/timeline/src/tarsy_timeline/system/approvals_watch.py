"""The number of calls that wait for a person, as the table has them: for the metrics."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from tarsy_timeline.database.pool import UNREACHABLE, Database
from tarsy_timeline.database.sql import QUERIES

LOOK_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Waiting:
    """`oldest`: since when the call waits that has waited for longest; None when none does."""

    count: int = 0
    oldest: datetime | None = None


class ApprovalsWatch:
    """Any projector may have written the rows: the table is asked again and again."""

    def __init__(self, database: Database, now: Callable[[], datetime], *, look_seconds: float = LOOK_SECONDS) -> None:
        self._database = database
        self._now = now
        self._look_seconds = look_seconds
        self.seen = Waiting()

    async def run(self, stepped: Callable[[], None]) -> None:
        """Until it is cancelled. While PostgreSQL is away, what was seen last stays."""
        while True:
            with suppress(*UNREACHABLE):
                self.seen = await self.look()
                stepped()
            await asyncio.sleep(self._look_seconds)

    async def look(self) -> Waiting:
        async with self._database.connection() as connection:
            row = await connection.fetchrow(QUERIES["count_approvals"])
        assert row is not None, "an aggregate has one row"
        return Waiting(row["waiting"], row["oldest"])

    @property
    def oldest_seconds(self) -> float:
        return 0.0 if self.seen.oldest is None else max(0.0, (self._now() - self.seen.oldest).total_seconds())
