"""Histories of several sessions, all of one moment, for websocket-gateways: five queries, however many they are."""

from collections.abc import Mapping, Sequence
from functools import partial

from tarsy_contracts.api.chains import AskedSession, LogName, ProjectedLog, SessionSnapshot
from tarsy_contracts.api.timeline import SessionHistory
from tarsy_contracts.prices import ModelPrices
from tarsy_service.http.problems import ProblemError
from tarsy_timeline.database.pool import Connection, Database
from tarsy_timeline.database.sql import QUERIES
from tarsy_timeline.queries import responses
from tarsy_timeline.queries.usage_queries import costs_of
from tarsy_timeline.rows.cost import NO_COST
from tarsy_timeline.rows.session_rows import Row, SessionRows, by_session

type SnapshotLine = ProjectedLog | SessionSnapshot

DELETED = "deleted"
TABLES = ("read_stages_of", "read_executions_of", "read_timelines_of")


async def session_snapshots(
    database: Database, requested: Sequence[AskedSession], prices: ModelPrices
) -> list[SnapshotLine]:
    """Those without an accepted event have no line. Waits for nothing. Raises ProblemError."""
    return await database.read(partial(_read_snapshots, requested, prices))


async def read_projected_log(connection: Connection) -> ProjectedLog:
    """Raises ProblemError while there is no projection."""
    row = await connection.fetchrow(QUERIES["read_identity"])
    if row is None:
        raise ProblemError(503, "Not there yet", "The projection has not begun yet.")
    positions = await connection.fetch(QUERIES["read_positions"])
    return ProjectedLog(
        log_identity=LogName(cluster_id=row["cluster_id"], topic=row["topic"]),
        positions={position["partition"]: position["next_offset"] for position in positions},
    )


async def _read_snapshots(
    requested: Sequence[AskedSession], prices: ModelPrices, connection: Connection
) -> list[SnapshotLine]:
    log = await read_projected_log(connection)
    # PostgreSQL refuses a question with such a text, and holds no session of that name.
    wanted = {one.session_id: one for one in requested if "\0" not in one.session_id}
    sessions = await connection.fetch(QUERIES["read_sessions_of"], list(wanted))
    reached = {row["session_id"] for row in sessions if _is_reached(row, wanted[row["session_id"]], log.positions)}
    told = [row["session_id"] for row in sessions if row["session_id"] in reached and row["status"] != DELETED]
    stages, executions, timelines = [by_session(await connection.fetch(QUERIES[name], told)) for name in TABLES]

    costs = await costs_of(connection, told, prices)

    def history(row: Row) -> SessionHistory | None:
        session_id = row["session_id"]
        if session_id not in told:
            return None
        return SessionHistory(
            last_number=row["last_number"],
            session=responses.session_detail(
                SessionRows(
                    session=row,
                    stages=stages[session_id],
                    executions=executions[session_id],
                    timeline=timelines[session_id],
                    cost=costs.get(session_id, NO_COST),
                )
            ),
            timeline=tuple(map(responses.timeline_event, timelines[session_id])),
        )

    def line(row: Row) -> SessionSnapshot:
        last = responses.last_event(row).model_dump()
        return SessionSnapshot(**last, reached=row["session_id"] in reached, history=history(row))

    return [log, *map(line, sessions)]


def _is_reached(row: Row, requested: AskedSession, positions: Mapping[int, int]) -> bool:
    return row["last_number"] >= requested.number and positions.get(requested.partition, 0) >= requested.offset
