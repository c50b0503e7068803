"""The number of calls that wait for a person, as the table has them: for the metrics."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from tarsy_timeline.database.periodic import run_periodically
from tarsy_timeline.database.pool import Database
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

    async def run(self, heartbeat: Callable[[], None]) -> None:
        """Until it is cancelled. While PostgreSQL is away, what was seen last stays."""
        await run_periodically(self._refresh_seen, heartbeat, self._look_seconds)

    async def _refresh_seen(self) -> None:
        self.seen = await self.look()

    async def look(self) -> Waiting:
        async with self._database.connection() as connection:
            row = await connection.fetchrow(QUERIES["count_approvals"])
        assert row is not None, "an aggregate has one row"
        return Waiting(row["waiting"], row["oldest"])

    @property
    def oldest_seconds(self) -> float:
        return 0.0 if self.seen.oldest is None else max(0.0, (self._now() - self.seen.oldest).total_seconds())
