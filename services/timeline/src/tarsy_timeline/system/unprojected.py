"""The records that could not be projected, as the table has them: for the API's warnings and the metrics."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from tarsy_timeline.database.periodic import run_periodically
from tarsy_timeline.database.pool import Database
from tarsy_timeline.database.sql import QUERIES
from tarsy_timeline.rows.session_rows import Row
from tarsy_timeline.system.server_warnings import MOST_CHARACTERS, Category, ServerWarning

LOOK_SECONDS = 10.0
MOST_NAMED = 10


@dataclass(frozen=True, slots=True)
class Unprojected:
    """`since` is None when there are none; `first` are the oldest of them."""

    records: int = 0
    sessions: int = 0
    since: datetime | None = None
    first: Sequence[Row] = ()


class UnprojectedWatch:
    """Any projector may have written the rows, and an operator may delete them: the table is asked again and again."""

    def __init__(self, database: Database, *, look_seconds: float = LOOK_SECONDS) -> None:
        self._database = database
        self._look_seconds = look_seconds
        self.seen = Unprojected()

    async def run(self, heartbeat: Callable[[], None]) -> None:
        """Until it is cancelled. While PostgreSQL is away, what was seen last stays."""
        await run_periodically(self._refresh_seen, heartbeat, self._look_seconds)

    async def _refresh_seen(self) -> None:
        self.seen = await self._read_unprojected()

    def warnings(self) -> list[ServerWarning]:
        """One, for all records together."""
        return warnings_of(self.seen)

    def count_warnings(self, category: Category) -> int:
        return sum(warning.category == category for warning in self.warnings())

    async def _read_unprojected(self) -> Unprojected:
        async with self._database.connection() as connection:
            counts = await connection.fetchrow(QUERIES["count_unprojected"])
            first = await connection.fetch(QUERIES["read_unprojected"], MOST_NAMED)
        assert counts is not None, "an aggregate has one row"
        return Unprojected(counts["records"], counts["sessions"], counts["since"], first)


def warnings_of(seen: Unprojected) -> list[ServerWarning]:
    if seen.since is None:
        return []
    more = "" if seen.records <= len(seen.first) else f" And {seen.records - len(seen.first)} more."
    return [
        ServerWarning(
            what="unprojected",
            server=None,
            message=f"{seen.records} events of {seen.sessions} sessions are missing from the history, or incomplete.",
            details=(" ".join(_describe_row(row) for row in seen.first) + more)[:MOST_CHARACTERS],
            began=seen.since,
            category="projection",
        )
    ]


def _describe_row(row: Row) -> str:
    position = f"partition {row['partition']}, offset {row['log_offset']}"
    return f"{row['event_type']} of session {row['session_id']} ({position}): {row['reason']}."
