"""Queries of sessions. Each answer is of one moment."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from functools import partial

from tarsy_auth.session_groups import GroupLabels
from tarsy_contracts.api.chains import AskedSession, LastEvent, ProjectedLog
from tarsy_contracts.api.visible_sessions import VisibleSessions
from tarsy_contracts.prices import NO_PRICES, ModelPrices
from tarsy_service.http.problems import ProblemError
from tarsy_timeline.database.pool import Connection, Database
from tarsy_timeline.database.sql import QUERIES
from tarsy_timeline.queries import responses
from tarsy_timeline.queries.session_filter import NO_CONDITIONS, SessionFilter
from tarsy_timeline.queries.session_reads import read_detail, read_running, read_session
from tarsy_timeline.queries.session_snapshots import SnapshotLine, read_projected_log, session_snapshots
from tarsy_timeline.queries.usage_queries import costs_of
from tarsy_timeline.rows.found_result import FoundResult, event_ids_of, result_of_call
from tarsy_timeline.rows.record_place import RecordPlace, record_place_of
from tarsy_timeline.rows.session_rows import ListedRows, Row, SessionRows
from tarsy_timeline.rows.visibility import visible_labels, visible_query

POLL_SECONDS = 0.02
LONGEST_POLL_SECONDS = 0.2
CHAINS_AT_ONCE = 1_000
CHAINS_SECONDS = 60.0
MOST_ACTIVE = 1_000
"""Limit for sessions that run, and the same for those that wait."""
MOST_OPTIONS = 1_000
OPTION_VALUES = {
    "alert_types": "alert_type",
    "chain_ids": "chain_id",
    "severities": "lower(left(severity, 300))",
    "clusters": "cluster",
    "namespaces": "namespace",
    "workloads": "workload",
}
"""For the place `{value}` in `read_options`. An index begins with each."""
RECENT_SESSIONS = 10_000
"""The sessions that are looked at for their runbooks and labels, which have no index in order."""

type LogLine = ProjectedLog | LastEvent


class SessionQueries:
    def __init__(
        self, database: Database, wait_seconds: float, prices: Callable[[], ModelPrices] = lambda: NO_PRICES
    ) -> None:
        """`prices`: those that hold now."""
        self._database = database
        self._prices = prices
        self._wait_seconds = wait_seconds

    async def sessions(self, wanted: SessionFilter, groups: GroupLabels | None = None) -> ListedRows:
        """How many sessions there are, and the rows of the page. With `groups`, here and below: only of theirs."""
        if wanted.terms:
            return await self._find_matching(wanted, groups)
        conditions, counting = wanted.conditions(groups), visible_query("count_sessions", groups)
        query = visible_query("list_sessions", groups).replace("{order}", wanted.order())

        async def read(connection: Connection) -> ListedRows:
            count: int = await connection.fetchval(counting, *conditions)
            rows = await connection.fetch(query, *conditions, None, wanted.page_size, wanted.offset)
            return await self._to_listed_rows(connection, count, rows)

        return await self._database.read(read)

    async def _find_matching(self, wanted: SessionFilter, groups: GroupLabels | None) -> ListedRows:
        words = ([term.text for term in wanted.terms], [term.prefix for term in wanted.terms])
        ranked, conditions = wanted.order_by == "relevance", wanted.conditions(groups)
        query = visible_query("find_sessions", groups).replace("{order}", wanted.order())
        listing = visible_query("list_sessions", None).replace("{order}", "s.session_id")

        async def read(connection: Connection) -> ListedRows:
            found = await connection.fetch(query, *conditions, *words, ranked, wanted.page_size, wanted.offset)
            ids = [row["session_id"] for row in found if row["session_id"] is not None]
            rows = await connection.fetch(listing, *NO_CONDITIONS, ids, len(ids), 0)
            matches = await connection.fetch(QUERIES["read_matches"], ids, *words)
            by_id = {row["session_id"]: row for row in rows}
            listed = await self._to_listed_rows(connection, found[0]["total"], [by_id[one] for one in ids])
            return replace(listed, matches=matches)

        return await self._database.read(read)

    async def _to_listed_rows(self, connection: Connection, count: int, rows: Sequence[Row]) -> ListedRows:
        costs = await costs_of(connection, [row["session_id"] for row in rows], self._prices())
        return ListedRows(count, rows, await read_running(connection, rows), costs)

    async def active(self, groups: GroupLabels | None = None) -> tuple[Sequence[Row], Sequence[Row]]:
        """The running sessions, and the waiting ones in the order in which they will run."""
        labels = visible_labels(groups)

        async def read(connection: Connection) -> tuple[Sequence[Row], Sequence[Row]]:
            running = await connection.fetch(visible_query("read_active", groups), MOST_ACTIVE, labels)
            if groups is None:
                return running, await connection.fetch(QUERIES["read_queued"], MOST_ACTIVE)
            return running, await connection.fetch(visible_query("read_visible_queued", groups), MOST_ACTIVE, labels)

        return await self._database.read(read)

    async def count_active(self, groups: GroupLabels | None = None) -> Row:
        """How many run and wait, and since when."""

        async def read(connection: Connection) -> Row:
            row: Row | None = await connection.fetchrow(visible_query("count_active", groups), visible_labels(groups))
            assert row is not None, "an aggregate has one row"
            return row

        return await self._database.read(read)

    async def options(self, groups: GroupLabels | None = None) -> dict[str, list[str]]:
        """The values of each of OPTION_VALUES that sessions have, and the labels of the newest ones."""
        query = visible_query("read_options" if groups is None else "read_visible_options", groups)
        of_labels = visible_query("read_labels", groups)
        limit = (MOST_OPTIONS,) if groups is None else (MOST_OPTIONS, visible_labels(groups))

        async def read(connection: Connection) -> dict[str, list[str]]:
            labels = await connection.fetch(of_labels, RECENT_SESSIONS, MOST_OPTIONS, visible_labels(groups))
            found = {
                name: [row["value"] for row in await connection.fetch(query.replace("{value}", value), *limit)]
                for name, value in OPTION_VALUES.items()
            }
            return {**found, "session_labels": [row["label"] for row in labels]}

        return await self._database.read(read)

    async def runbooks(self, groups: GroupLabels | None = None) -> list[str]:
        """The runbooks of alerts, those that were named last first."""

        query, limits = visible_query("read_runbooks", groups), (RECENT_SESSIONS, MOST_OPTIONS)

        async def read(connection: Connection) -> list[str]:
            rows = await connection.fetch(query, *limits, visible_labels(groups))
            return [row["runbook_url"] for row in rows]

        return await self._database.read(read)

    async def session(self, session_id: str, *, at_least: int = 0) -> Row:
        """Waits until the projection has reached the event `at_least`. Raises ProblemError."""
        await self._wait_until_projected(session_id, at_least)
        return await self._database.read(partial(read_session, session_id))

    async def detail(self, session_id: str, *, at_least: int = 0) -> SessionRows:
        """Only the calls that run are there of the timeline. Waits like `session`."""
        await self._wait_until_projected(session_id, at_least)
        return await self._database.read(partial(read_detail, session_id, self._prices()))

    async def whole(self, session_id: str, *, at_least: int = 0) -> SessionRows:
        """With the timeline. Waits like `session`."""
        await self._wait_until_projected(session_id, at_least)

        async def read(connection: Connection) -> SessionRows:
            rows = await read_detail(session_id, self._prices(), connection)
            return replace(rows, timeline=await connection.fetch(QUERIES["read_timeline"], session_id))

        return await self._database.read(read)

    async def call(self, session_id: str, call_id: str, *, at_least: int = 0) -> tuple[FoundResult, int]:
        """A tool call that has a result, and the session's last number. Waits like `session`. Raises ProblemError."""
        await self._wait_until_projected(session_id, at_least)

        async def read(connection: Connection) -> tuple[Sequence[Row], int]:
            session = await read_session(session_id, connection)
            rows = await connection.fetch(QUERIES["read_calls"], session_id, event_ids_of(call_id), call_id)
            return rows, session["last_number"]

        rows, last_number = await self._database.read(read)
        return result_of_call(session_id, call_id, rows), last_number

    async def reviews(self, session_id: str) -> Sequence[Row]:
        """Acts of people on its review, in order. Raises ProblemError."""

        async def read(connection: Connection) -> Sequence[Row]:
            await read_session(session_id, connection)
            rows: Sequence[Row] = await connection.fetch(QUERIES["read_reviews"], session_id)
            return rows

        return await self._database.read(read)

    async def scores(self, session_id: str) -> Sequence[Row]:
        """All runs of its judge, in order. Raises ProblemError."""

        async def read(connection: Connection) -> Sequence[Row]:
            await read_session(session_id, connection)
            rows: Sequence[Row] = await connection.fetch(QUERIES["read_scores"], session_id)
            return rows

        return await self._database.read(read)

    async def is_visible(self, session_id: str, groups: GroupLabels, *, at_least: int = 0) -> bool:
        """Waits like `session`. Raises ProblemError."""
        await self._wait_until_projected(session_id, at_least)
        return session_id in (await self.visibility([session_id], groups)).visible

    async def visibility(self, session_ids: Sequence[str], groups: GroupLabels) -> VisibleSessions:
        requested = [one for one in session_ids if "\0" not in one]

        async def read(connection: Connection) -> Sequence[Row]:
            return await connection.fetch(visible_query("read_visibility", groups), requested, visible_labels(groups))

        rows = await self._database.read(read)
        return VisibleSessions(
            visible=tuple(row["session_id"] for row in rows if row["visible"]),
            hidden=tuple(row["session_id"] for row in rows if not row["visible"]),
        )

    async def alias(self, session_id: str) -> str | None:
        """The session that has the alert whose sender was given this id, if it is another one."""

        async def read(connection: Connection) -> str | None:
            found: str | None = await connection.fetchval(QUERIES["read_alias"], session_id)
            return found

        return await self._database.read(read)

    async def record_place(self, session_id: str, *, at_least: int = 0) -> RecordPlace:
        """The positions of the session's events in the log. Waits like `session`. Raises ProblemError."""
        await self._wait_until_projected(session_id, at_least)
        async with self._database.snapshot() as connection:
            row = await connection.fetchrow(QUERIES["read_record_place"], session_id)
        return record_place_of(session_id, row)

    async def require_projection(self) -> None:
        """Raises ProblemError while there is no projection."""
        await self._database.read(read_projected_log)

    async def chains(self, *, open_only: bool = False) -> AsyncIterator[list[LogLine]]:
        """First the log's identity and the positions, then sessions' last events, in portions, all of one moment."""
        async with asyncio.timeout(CHAINS_SECONDS), self._database.snapshot() as connection:
            yield [await read_projected_log(connection)]
            # A cursor of asyncpg has a statement of a name, which would stay behind in a connection of a pooler.
            query = QUERIES["read_open_chains" if open_only else "read_all_chains"]
            await connection.execute(f"declare chains no scroll cursor for {query}")
            while portion := await connection.fetch(f"fetch {CHAINS_AT_ONCE} from chains"):
                yield [responses.last_event(row) for row in portion]

    async def chains_of(self, session_ids: Sequence[str]) -> list[LogLine]:
        """The same of these sessions, all at once."""
        # PostgreSQL refuses a question with such a text, and holds no session of that name.
        requested = [one for one in session_ids if "\0" not in one]

        async def read(connection: Connection) -> list[LogLine]:
            beginning = await read_projected_log(connection)
            rows = await connection.fetch(QUERIES["read_chains_of"], requested)
            return [beginning, *(responses.last_event(row) for row in rows)]

        return await self._database.read(read)

    async def approvals(self, session_id: str | None, most: int, groups: GroupLabels | None = None) -> Sequence[Row]:
        """Calls that wait for a person, of this session or of all."""
        query, labels = visible_query("list_approvals", groups), visible_labels(groups)

        async def read(connection: Connection) -> Sequence[Row]:
            if session_id is not None:
                await read_session(session_id, connection)
            return await connection.fetch(query, session_id, most, labels)

        return await self._database.read(read)

    async def snapshots(self, requested: Sequence[AskedSession]) -> list[SnapshotLine]:
        """The same, with the histories of these sessions."""
        return await session_snapshots(self._database, requested, self._prices())

    async def _wait_until_projected(self, session_id: str, at_least: int) -> None:
        """By asking the table: the projector of the session may be another process."""
        pause = POLL_SECONDS
        try:
            async with asyncio.timeout(self._wait_seconds):
                while at_least > 0 and await self._read_last_number(session_id) < at_least:
                    await asyncio.sleep(pause)
                    pause = min(pause * 2, LONGEST_POLL_SECONDS)
        except TimeoutError:
            detail = f"Session {session_id} is not projected up to event {at_least} yet."
            raise ProblemError(503, "Not there yet", detail) from None

    async def _read_last_number(self, session_id: str) -> int:
        async def read(connection: Connection) -> int:
            return await connection.fetchval(QUERIES["last_number"], session_id) or 0

        return await self._database.read(read)
