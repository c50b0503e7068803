"""Claims of weekly digests: which process sends one to a receiver, and which receivers have it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import date
from typing import Literal

from tarsy_contracts.wire.ids import usage_digest_id
from tarsy_service.http.problems import ProblemError
from tarsy_timeline.database.pool import UNREACHABLE, Connection, Database
from tarsy_timeline.database.sql import QUERIES
from tarsy_timeline.queries.session_snapshots import read_projected_log

type Claimed = Literal["claimed", "taken", "sent"]


class DigestClaims:
    """The database's clock counts: those of two processes differ. Raises ProblemError while PostgreSQL is away."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def claim(self, last: date, receiver: str, holder: str, seconds: float) -> Claimed:
        """`claimed`: nobody has sent it, and nobody else sends it for so long."""
        async with self._connection() as connection:
            if await connection.fetchrow(QUERIES["claim_digest"], last, receiver, holder, seconds) is not None:
                return "claimed"
            return "sent" if await connection.fetchval(QUERIES["is_digest_sent"], last, receiver) else "taken"

    async def note_sent(self, last: date, receiver: str) -> None:
        async with self._connection() as connection:
            await connection.execute(QUERIES["note_digest_sent"], last, receiver)

    async def digest_id(self, last: date) -> str:
        """The same for each process, receiver and attempt, and another one for each system."""
        log = (await self._database.read(read_projected_log)).log_identity
        return usage_digest_id(cluster=log.cluster_id, topic=log.topic, last_day=last.isoformat())

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[Connection]:
        try:
            async with self._database.connection() as connection:
                yield connection
        except UNREACHABLE as problem:
            raise ProblemError(503, "Service unavailable", "The database cannot be reached.") from problem
