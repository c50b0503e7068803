"""Retention of details: timelines of sessions that ended long ago leave the tables, and their verdicts stay."""

from dataclasses import dataclass
from datetime import datetime

from tarsy_timeline.database.single_connection import SingleConnection
from tarsy_timeline.database.sql import RETENTION

SESSIONS_AT_ONCE = 200
"""In one transaction: the projector waits for none of them longer than a moment."""


@dataclass(frozen=True, slots=True)
class ExpiredDetails:
    """`oldest`: when the first of these sessions ended; None without any."""

    sessions: int
    oldest: datetime | None


async def count_details(connection: SingleConnection, before: datetime) -> ExpiredDetails:
    """Sessions that ended before, and whose timeline is still there."""
    row = await connection.fetchrow(RETENTION["count_details"], before)
    return ExpiredDetails(0, None) if row is None else ExpiredDetails(row["sessions"], row["oldest"])


async def delete_details(connection: SingleConnection, before: datetime) -> int:
    """Returns how many sessions it took. It can be stopped at any time, and repeated."""
    deleted = 0
    while some := await connection.fetchval(RETENTION["delete_details"], before, SESSIONS_AT_ONCE):
        deleted += some
    return deleted
