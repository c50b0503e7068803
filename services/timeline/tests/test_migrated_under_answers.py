"""Answers of a running timeline while its tables are migrated: the next release's migrations come before its code."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import asyncpg
import pytest
from projected_world import World, records, told

from tarsy_service.http.problems import ProblemError
from tarsy_timeline.database.pool import Database

type NewSession = Callable[[], Any]
type OpenDatabase = Callable[[], AbstractAsyncContextManager[Database]]
type OtherConnection = "asyncpg.Connection[asyncpg.Record]"

READ_BY_ANSWERS = ("sessions", "stages", "agent_executions", "timeline_events")
ASKED = "select * from positions"


@pytest.fixture
async def migrating(database_url: str, database_schema: str) -> AsyncIterator[OtherConnection]:
    connection = await asyncpg.connect(database_url)
    await connection.execute(f"set search_path = {database_schema}")
    yield connection
    await connection.close()


async def add_column(connection: OtherConnection, table: str) -> None:
    await connection.execute(f"alter table {table} add column of_the_next_release text")


async def test_all_questions_that_were_asked_before_are_answered_after_it(
    world: World, new_session: NewSession, migrating: OtherConnection
) -> None:
    session = told(new_session)
    await world.project(*records(session))
    paths = [
        f"/api/v1/sessions/{session.id}",
        f"/api/v1/sessions/{session.id}/status",
        f"/api/v1/sessions/{session.id}/timeline",
        "/api/v1/sessions",
        "/api/v1/sessions/active",
    ]
    for path in paths:
        # Each table changes right before a question that is prepared already.
        before = await world.get(path)
        for table in READ_BY_ANSWERS:
            await migrating.execute(f"alter table {table} drop column if exists of_the_next_release")
            await world.get(path)
            await add_column(migrating, table)
            assert await world.get(path) == before


async def test_an_answer_is_read_again_as_one_of_another_moment(
    open_database: OpenDatabase, migrating: OtherConnection
) -> None:
    """The second reading sees all that was committed before it, not half of each."""
    async with open_database() as database:
        seen: list[int] = []

        async def read(connection: Any) -> int:
            seen.append(await connection.fetchval("select count(*) from positions"))
            return len(await connection.fetch(ASKED))

        assert await database.read(read) == 0
        await add_column(migrating, "positions")
        await migrating.execute("insert into positions (partition, next_offset) values (1, 1)")
        assert (await database.read(read), seen) == (1, [0, 1, 1])


async def test_tables_that_change_under_both_readings_are_told_as_503(
    open_database: OpenDatabase, migrating: OtherConnection
) -> None:
    async with open_database() as database:

        async def changed_again(connection: Any) -> None:
            raise asyncpg.InvalidCachedStatementError("cached plan must not change result type")

        with pytest.raises(ProblemError) as refusal:
            await database.read(changed_again)
        assert (refusal.value.status, refusal.value.detail) == (503, "The tables are being migrated. Try again.")
