"""Queries of memories and of sessions like another one."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta

from pydantic import ValidationError

from tarsy_auth.session_groups import GroupLabels
from tarsy_contracts.api.memories import AskedPast, EarlierSession, EarlierSessions
from tarsy_contracts.memory import RecallContext, RecalledMemories
from tarsy_contracts.wire.envelope import wire_time
from tarsy_service.http.problems import ProblemError
from tarsy_timeline.database.pool import Connection, Database
from tarsy_timeline.database.sql import QUERIES
from tarsy_timeline.queries.common_readers import common_readers
from tarsy_timeline.queries.memory_filter import MemoryFilter
from tarsy_timeline.queries.memory_rank import rank_memories
from tarsy_timeline.queries.session_fields import duration_ms
from tarsy_timeline.queries.session_filter import SessionFilter
from tarsy_timeline.queries.session_queries import SessionQueries
from tarsy_timeline.rows.session_rows import Row
from tarsy_timeline.rows.visibility import fill_visibility, visible_labels, visible_query

SEEN = "join memories x on x.memory_id = w.memory_id join sessions s on s.session_id = x.session_id and {visible:6}"
MOST_SIMILAR = 10
CONCLUSION_CHARACTERS = 1_000

type AllGroups = Callable[[], Awaitable[GroupLabels]]


class MemoryQueries:
    def __init__(
        self, database: Database, sessions: SessionQueries, groups: AllGroups, now: Callable[[], datetime]
    ) -> None:
        """`groups`: all session groups that are configured."""
        self._database = database
        self._sessions = sessions
        self._groups = groups
        self._now = now

    async def recall(self, query: str, context: RecallContext, most: int) -> RecalledMemories:
        """Memories that fit, of sessions that all readers of the asking session see."""
        groups = common_readers(await self._groups(), context)
        asked = (query, context.alert_type, context.namespace, context.workload, context.session_id)
        statement = QUERIES["recall_memories"].replace("{seen}", "" if groups is None else SEEN)
        labels = () if groups is None else (visible_labels(groups),)
        rows = await self._fetch(fill_visibility(statement, groups), *asked, *labels)
        return RecalledMemories(memories=rank_memories(rows, context, self._now(), most))

    async def past_sessions(self, asked: AskedPast) -> EarlierSessions:
        """Sessions that have all of these words, with the same readers. Raises ProblemError."""
        try:
            wanted = SessionFilter(
                search=asked.query,
                alert_type=asked.alert_type or None,
                start_date=self._now() - timedelta(days=asked.days_back),
                page_size=asked.limit + 1,
            )
        except ValidationError as problem:
            raise ProblemError(400, "Bad Request", problem.errors(include_url=False)[0]["msg"]) from None
        found = await self._sessions.sessions(wanted, common_readers(await self._groups(), asked.context))
        others = [row for row in found.sessions if row["session_id"] != asked.context.session_id]
        return EarlierSessions(sessions=tuple(map(_to_past, others[: asked.limit])), total=found.count)

    async def require(self, session_id: str, *, at_least: int = 0) -> None:
        """Raises ProblemError for a session that nobody knows, or that was deleted."""
        await self._sessions.session(session_id, at_least=at_least)

    async def list_taught_by(self, session_id: str, groups: GroupLabels | None = None) -> Sequence[Row]:
        return await self.list(MemoryFilter(source_session_id=session_id, page_size=200), groups)

    async def list(self, wanted: MemoryFilter, groups: GroupLabels | None = None) -> Sequence[Row]:
        """With `groups`, here and below: only those of their sessions."""
        arguments = (*wanted.conditions, None, visible_labels(groups), wanted.page_size, wanted.offset)
        return await self._fetch(visible_query("list_memories", groups), *arguments)

    async def find(self, memory_ids: Sequence[str], groups: GroupLabels | None = None) -> Sequence[Row]:
        query = visible_query("list_memories", groups)
        return await self._fetch(query, *[None] * 5, list(memory_ids), visible_labels(groups), len(memory_ids), 0)

    async def list_given_to(self, session_id: str, groups: GroupLabels | None = None) -> Sequence[tuple[Row, Row]]:
        """Those that its agents began with and that are still there, in the order of their numbers.

        Each with its `number`, and whether it was `cited`.
        """
        given = await self._fetch(QUERIES["read_given_memories"], session_id)
        found = {row["memory_id"]: row for row in await self.find([one["memory_id"] for one in given], groups)}
        return [(found[one["memory_id"]], one) for one in given if one["memory_id"] in found]

    async def similar(self, session_id: str, groups: GroupLabels | None = None) -> Sequence[Row]:
        query = visible_query("similar_sessions", groups)
        return await self._fetch(query, session_id, visible_labels(groups), MOST_SIMILAR)

    async def _fetch(self, query: str, *arguments: object) -> Sequence[Row]:
        async def read(connection: Connection) -> Sequence[Row]:
            return await connection.fetch(query, *arguments)

        return await self._database.read(read)


def _to_past(row: Row) -> EarlierSession:
    return EarlierSession(
        session_id=row["session_id"],
        title=row["title"],
        alert_type=row["alert_type"],
        status=row["status"],
        created_at=wire_time(row["created_at"]),
        duration_ms=duration_ms(row),
        conclusion=row["executive_summary"] or (row["final_analysis"] or "")[:CONCLUSION_CHARACTERS],
    )
