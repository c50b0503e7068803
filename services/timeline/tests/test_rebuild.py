"""On a real Kafka and a real PostgreSQL, beside a timeline that runs."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from multiprocessing import active_children
from typing import Any

import httpx2
import pytest
import pytest_asyncio

from tarsy_bus.client.connection import Bus
from tarsy_testing.real_servers import WAIT_SECONDS, eventually
from tarsy_timeline.database.single_connection import SingleConnection, connected
from tarsy_timeline.rebuild import rebuild as rebuilding
from tarsy_timeline.rebuild.checksums import table_checksums
from tarsy_timeline.rebuild.processes import RebuildTarget, ReplayFailedError, replay_in_processes, shares_of
from tarsy_timeline.rebuild.rebuild import RebuildPlan, RebuildRefusedError, fresh_schema_of, rebuild
from tarsy_timeline.rebuild.replay import ReplayShare

type NewSession = Callable[[], Any]
type Story = Callable[[Any], Any]
type Append = Callable[..., Awaitable[int]]
type RunningApi = Callable[..., AbstractAsyncContextManager[httpx2.AsyncClient]]

pytestmark = pytest.mark.asyncio(loop_scope="module")


@dataclass
class Steps:
    told: list[str] = field(default_factory=list)
    events: int = 0

    def step(self, what: str) -> None:
        self.told.append(what)

    def count(self, events: int) -> None:
        self.events += events


@dataclass
class Beside:
    """A timeline that runs, and what a rebuild beside it needs."""

    bus: Bus
    url: str
    schema: str
    client: httpx2.AsyncClient
    connection: SingleConnection
    append: Append
    new_session: NewSession
    story: Story

    def plan(self, *, processes: int = 1, **changes: Any) -> RebuildPlan:
        target = RebuildTarget(self.bus, self.url, fresh_schema_of(self.schema))
        return RebuildPlan(target, self.schema, processes, **changes)

    async def investigate(self, *partitions: int) -> list[Any]:
        """A whole session in each, projected."""
        found = []
        for partition in partitions:
            session = self.story(self.new_session())
            await self.append(self.bus, partition, session.records)
            found.append(session)
        for session in found:
            await self.shown(session)
        return found

    async def shown(self, session: Any) -> None:
        async def look() -> bool:
            answer = await self.client.get(f"/api/v1/sessions/{session.id}/timeline?at_least={len(session.records)}")
            return answer.status_code == 200

        await eventually(look, f"{session.id} is projected")

    async def checksums(self, schema: str) -> dict[str, tuple[int, str]]:
        """When all words are indexed."""

        async def look() -> bool:
            return not await self.connection.fetchval(f"select count(*) from {schema}.search_queue")

        if schema == self.schema:
            await eventually(look, "all words are indexed")
        return await table_checksums(self.connection, schema)


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def timeline(
    system_bus: Bus, database_url: str, running_api: RunningApi, module_schema: str
) -> AsyncIterator[httpx2.AsyncClient]:
    """One for all tests of the module: each leaves it as a timeline that runs and has all rows."""
    async with running_api(system_bus, module_schema, wait_seconds=WAIT_SECONDS) as client:
        yield client
    async with connected(database_url) as connection:
        for name in (fresh_schema_of(module_schema), f"{module_schema}_retired"):
            await connection.execute(f"drop schema if exists {name} cascade")


@pytest_asyncio.fixture(loop_scope="module")
async def beside(
    timeline: httpx2.AsyncClient,
    system_bus: Bus,
    database_url: str,
    module_schema: str,
    append: Append,
    new_session: NewSession,
    story: Story,
) -> AsyncIterator[Beside]:
    async with connected(database_url) as connection:
        yield Beside(system_bus, database_url, module_schema, timeline, connection, append, new_session, story)


async def test_rebuilt_tables_have_the_same_rows_and_readers_are_served_all_the_time(beside: Beside) -> None:
    sessions = await beside.investigate(0, 1, 1, 5)
    before = await beside.checksums(beside.schema)
    steps = Steps()
    async with reading(beside, sessions[0]) as statuses:
        await rebuild(beside.plan(processes=2, keeps_retired=True), beside.connection, steps)
    assert set(statuses) == {200}
    assert len(statuses) > 10
    after = await beside.checksums(beside.schema)
    assert after == before
    assert after["sessions"][0] >= 4
    assert await beside.checksums(f"{beside.schema}_retired") == before
    assert steps.events >= sum(len(session.records) for session in sessions)
    assert active_children() == []


async def test_the_projector_goes_on_in_the_rebuilt_tables(beside: Beside) -> None:
    await beside.investigate(2)
    await rebuild(beside.plan(), beside.connection, Steps())
    await beside.investigate(2, 3)
    await rebuild(beside.plan(), beside.connection, Steps())
    await beside.investigate(3)
    left = await beside.connection.fetch("select nspname from pg_namespace where nspname like $1", f"{beside.schema}%")
    assert [row["nspname"] for row in left] == [beside.schema]


async def test_indexes_and_constraints_are_those_of_a_timeline_that_never_was_rebuilt(beside: Beside) -> None:
    query = "select indexname, replace(indexdef, $1, '') from pg_indexes where schemaname = $1 order by 1"
    before = await beside.connection.fetch(query, beside.schema)
    await rebuild(beside.plan(), beside.connection, Steps())
    assert await beside.connection.fetch(query, beside.schema) == before
    assert any(row["indexname"] == "sessions_by_time" for row in before)


async def test_a_rebuild_under_load_ends_with_what_the_log_says(beside: Beside) -> None:
    await beside.investigate(0)
    ended = asyncio.Event()
    written: list[Any] = []

    async def write() -> None:
        while not ended.is_set():
            session = beside.story(beside.new_session())
            await beside.append(beside.bus, len(written) % 3, session.records)
            written.append(session)

    async with asyncio.TaskGroup() as group, reading(beside, None) as statuses:
        group.create_task(write())
        await rebuild(beside.plan(), beside.connection, Steps())
        ended.set()
    for session in written:
        await beside.shown(session)
    assert set(statuses) == {200}
    live = await beside.checksums(beside.schema)
    # Nothing is written any more: a second rebuild is of the same log.
    await rebuild(beside.plan(), beside.connection, Steps())
    assert await beside.checksums(beside.schema) == live


async def test_a_checksum_sees_one_other_letter(beside: Beside) -> None:
    await beside.investigate(4)
    before = await beside.checksums(beside.schema)
    await beside.connection.execute(f"update {beside.schema}.sessions set title = title || '.' where partition = 4")
    after = await beside.checksums(beside.schema)
    assert {table for table in after if after[table] != before[table]} == {"sessions"}


async def test_sessions_that_are_no_longer_on_the_log_are_not_given_up_unasked(beside: Beside) -> None:
    await beside.investigate(6)
    await beside.connection.execute(
        f"insert into {beside.schema}.sessions (session_id, partition, last_number, last_event_id, created_at) "
        "values ('gone', 0, 1, 'x', now())"
    )
    before = await beside.checksums(beside.schema)
    with pytest.raises(RebuildRefusedError, match=r"1 sessions stand in .* no longer on the log"):
        await rebuild(beside.plan(), beside.connection, Steps())
    assert await beside.checksums(beside.schema) == before
    await rebuild(beside.plan(gives_up_sessions=True), beside.connection, Steps())
    assert (await beside.checksums(beside.schema))["sessions"][0] == before["sessions"][0] - 1


async def test_a_digest_that_was_sent_is_not_sent_again_after_a_rebuild(beside: Beside) -> None:
    await beside.connection.execute(
        f"insert into {beside.schema}.digests values ('2026-11-22', 'ops', 'p1', now(), now())"
    )
    await rebuild(beside.plan(), beside.connection, Steps())
    assert await beside.connection.fetchval(f"select holder from {beside.schema}.digests") == "p1"


async def test_tables_of_a_newer_version_are_left_alone(beside: Beside) -> None:
    await beside.connection.execute(f"insert into {beside.schema}.schema_migrations (name) values ('9999_later.sql')")
    with pytest.raises(RebuildRefusedError, match="9999_later"):
        await rebuild(beside.plan(), beside.connection, Steps())
    await beside.connection.execute(f"delete from {beside.schema}.schema_migrations where name like '9999%'")


async def test_two_rebuilds_at_once_do_not_meet(beside: Beside) -> None:
    async with connected(beside.url) as other:
        await other.fetchval("select pg_advisory_lock(hashtext($1))", f"tarsy-timeline-rebuild/{beside.schema}")
        with pytest.raises(RebuildRefusedError, match="another rebuild"):
            await rebuild(beside.plan(), beside.connection, Steps())


async def test_a_reader_that_never_ends_stops_the_switch_and_nothing_else(
    beside: Beside, monkeypatch: pytest.MonkeyPatch
) -> None:
    (session,) = await beside.investigate(7)
    monkeypatch.setattr(rebuilding, "ATTEMPTS_TO_SWITCH", 1)
    before = await beside.checksums(beside.schema)
    async with connected(beside.url) as dump, dump.transaction():
        await dump.fetch(f"select count(*) from {beside.schema}.sessions")
        with pytest.raises(RebuildRefusedError, match="long transaction"):
            await rebuild(beside.plan(), beside.connection, Steps())
        await beside.shown(session)
    assert await beside.checksums(beside.schema) == before


async def test_a_process_that_dies_ends_the_rebuild_with_a_reason(beside: Beside) -> None:
    await beside.investigate(8)
    broken = RebuildTarget(beside.bus, beside.url, "no_such_schema")
    with pytest.raises(ReplayFailedError, match="UndefinedTableError"):
        await replay_in_processes(broken, [ReplayShare({8: 1})], lambda _: None)
    assert active_children() == []


async def test_partitions_are_dealt_to_processes_by_their_length() -> None:
    shares = shares_of({0: 100, 1: 50, 2: 40, 3: 5}, 2)
    assert [dict(share.goals) for share in shares] == [{0: 100}, {1: 50, 2: 40, 3: 5}]
    assert len(shares_of({0: 1}, 4)) == 1


@asynccontextmanager
async def reading(beside: Beside, session: Any) -> AsyncIterator[list[int]]:
    """Asks again and again in the body; the statuses of all answers."""
    path = "/api/v1/sessions" + (f"/{session.id}" if session else "")
    statuses: list[int] = []
    ended = asyncio.Event()

    async def ask() -> None:
        while not ended.is_set():
            statuses.append((await beside.client.get(path)).status_code)

    async with asyncio.TaskGroup() as group:
        group.create_task(ask())
        yield statuses
        ended.set()
