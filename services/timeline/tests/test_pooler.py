"""A timeline behind PgBouncer in transaction mode: it migrates, projects and answers as without it."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime
from typing import Any

import asyncpg
import httpx2
import pytest
import pytest_asyncio
from pgbouncer import pgbouncer_before

from tarsy_bus.client.connection import Bus
from tarsy_testing.programs import require_programs
from tarsy_testing.real_servers import eventually
from tarsy_timeline.database.details_retention import count_details
from tarsy_timeline.database.migrations import SchemaFit, compare_schema, migrate
from tarsy_timeline.database.pool import Database
from tarsy_timeline.database.single_connection import connected
from tarsy_timeline.rebuild.processes import RebuildTarget
from tarsy_timeline.rebuild.rebuild import RebuildPlan, RebuildRefusedError, fresh_schema_of, rebuild

type NewSession = Callable[[], Any]
type Story = Callable[[Any], Any]
type Append = Callable[..., Awaitable[int]]
type RunningApi = Callable[..., AbstractAsyncContextManager[httpx2.AsyncClient]]

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.fixture(scope="module", autouse=True)
def pgbouncer() -> None:
    """Asked for before servers are started."""
    require_programs("pgbouncer")


@pytest.fixture(scope="module")
def pooled_url(pgbouncer: None, database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with pgbouncer_before(database_url, tmp_path_factory.mktemp("pgbouncer")) as url:
        yield url


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def timeline(
    system_bus: Bus, pooled_url: str, running_api: RunningApi, module_schema: str
) -> AsyncIterator[httpx2.AsyncClient]:
    async with running_api(system_bus, module_schema, database=pooled_url) as client:
        yield client


@pytest_asyncio.fixture(loop_scope="module")
async def told(
    timeline: httpx2.AsyncClient, system_bus: Bus, append: Append, new_session: NewSession, story: Story
) -> Any:
    """A session that was projected, and whose words are indexed."""
    session = story(new_session())
    await append(system_bus, 1, session.records)

    async def found() -> bool:
        answer = await timeline.get("/api/v1/sessions", params={"search": session.id})
        return answer.status_code == 200 and len(answer.json()["sessions"]) == 1

    await eventually(found, "the search finds the session")
    return session


PATHS = (
    "/api/v1/sessions",
    "/api/v1/sessions?search=Crash",
    "/api/v1/sessions/active",
    "/api/v1/sessions/filter-options",
    "/api/v1/sessions/{id}",
    "/api/v1/sessions/{id}/status",
    "/api/v1/sessions/{id}/timeline",
    "/api/v1/sessions/{id}/summary",
    "/api/v1/sessions/{id}/trace",
    "/api/v1/sessions/{id}/at/5",
    "/api/v1/usage?from=2026-01-01&to=2026-12-31",
    "/internal/v1/chains",
)


async def test_each_question_is_answered_also_while_others_ask(timeline: httpx2.AsyncClient, told: Any) -> None:
    """Chains are read with a cursor, which has a name: no other transaction may meet it."""
    for path in PATHS:
        answers = await asyncio.gather(*(timeline.get(path.format(id=told.id)) for _ in range(8)))
        assert [answer.status_code for answer in answers] == [200] * 8, (path, answers[0].text)
    assert told.id in (await timeline.get("/internal/v1/chains")).text


async def test_a_statement_that_stands_alone_finds_our_schema(pooled_url: str, module_schema: str, told: Any) -> None:
    async with (
        Database(pooled_url, module_schema, 3, {"synchronous_commit": "off"}).running(_nothing) as database,
        database.connection() as connection,
    ):
        assert await connection.fetchval("select count(*) from sessions where session_id = $1", told.id) == 1
        assert await connection.execute("delete from search_queue where session_id = 'none'") == "DELETE 0"
        assert await connection.fetchval("show synchronous_commit") == "off"
        async with connection.transaction(isolation="repeatable_read", readonly=True):
            assert await connection.fetchval("show transaction_isolation") == "repeatable read"
            assert dict(await connection.fetchrow("select count(*) > 0 as found from sessions") or {}) == {
                "found": True
            }


async def test_nothing_of_ours_stays_behind_in_the_poolers_connections(
    pooled_url: str, module_schema: str, told: Any
) -> None:
    """Another client of the pooler gets them next."""
    async with connected(pooled_url, schema=module_schema) as ours:
        await ours.fetch("select * from positions")
    other = await asyncpg.connect(pooled_url, statement_cache_size=0)
    try:
        for _ in range(8):
            async with other.transaction():
                assert await other.fetchval("show search_path") == '"$user", public'
                assert await other.fetchval("select count(*) from pg_prepared_statements where name <> ''") == 0
    finally:
        await other.close()


async def test_commands_work_as_without_it(pooled_url: str, database_schema: str) -> None:
    async with connected(pooled_url, schema=database_schema) as connection:
        assert len((await compare_schema(connection, database_schema)).missing) > 20
        await migrate(connection, database_schema)
        assert await compare_schema(connection, database_schema) == SchemaFit()
        assert (await count_details(connection, datetime.now(UTC))).sessions == 0


async def test_one_rebuild_works_and_a_second_beside_it_is_refused(
    system_bus: Bus, pooled_url: str, module_schema: str, timeline: httpx2.AsyncClient, told: Any
) -> None:
    class Steps:
        refused = False

        def step(self, what: str) -> None: ...
        def count(self, events: int) -> None: ...

    plan = RebuildPlan(RebuildTarget(system_bus, pooled_url, fresh_schema_of(module_schema)), module_schema, 1)
    async with connected(pooled_url) as one, connected(pooled_url) as two:
        ends = await asyncio.gather(rebuild(plan, one, Steps()), rebuild(plan, two, Steps()), return_exceptions=True)
        assert [type(end) for end in ends].count(RebuildRefusedError) == 1, ends
        assert ends.count(None) == 1, ends
    assert (await timeline.get(f"/api/v1/sessions/{told.id}")).json()["title"] == f"Crash {told.id}"


async def _nothing(_: object) -> None:
    """The schema is there."""
