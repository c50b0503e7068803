"""Rows of one session, or of those of a page, read on a connection that its caller has."""

from collections.abc import Sequence

from tarsy_contracts.prices import ModelPrices
from tarsy_service.http.problems import ProblemError
from tarsy_timeline.database.pool import Connection
from tarsy_timeline.database.sql import QUERIES
from tarsy_timeline.queries import responses
from tarsy_timeline.queries.session_activity import RUNNING
from tarsy_timeline.queries.usage_queries import costs_of
from tarsy_timeline.rows.cost import NO_COST
from tarsy_timeline.rows.session_rows import Row, RunningRows, SessionRows


async def read_session(session_id: str, connection: Connection) -> Row:
    """Raises ProblemError."""
    row = await connection.fetchrow(QUERIES["read_session"], session_id)
    if row is None:
        raise no_session(session_id)
    return row


def no_session(session_id: str) -> ProblemError:
    return ProblemError(404, "Not found", f"There is no session {session_id}.")


async def read_detail(session_id: str, prices: ModelPrices, connection: Connection) -> SessionRows:
    """Without the timeline, but for the calls that run. Raises ProblemError."""
    return SessionRows(
        session=await read_session(session_id, connection),
        stages=await connection.fetch(QUERIES["read_stages"], session_id),
        executions=await connection.fetch(QUERIES["read_executions"], session_id),
        timeline=[
            *await connection.fetch(QUERIES["read_open_calls"], [session_id]),
            *await connection.fetch(QUERIES["read_native_calls"], session_id, sorted(responses.NATIVE_TYPES)),
        ],
        cost=(await costs_of(connection, [session_id], prices)).get(session_id, NO_COST),
    )


async def read_running(connection: Connection, sessions: Sequence[Row]) -> RunningRows:
    ids = [row["session_id"] for row in sessions if row["status"] in RUNNING]
    if not ids:
        return RunningRows()
    return RunningRows(
        stages=await connection.fetch(QUERIES["read_stages_of"], ids),
        executions=await connection.fetch(QUERIES["read_executions_of"], ids),
        calls=await connection.fetch(QUERIES["read_open_calls"], ids),
    )
