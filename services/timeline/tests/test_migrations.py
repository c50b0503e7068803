import asyncio
import uuid
from collections.abc import AsyncIterator
from datetime import UTC, datetime

import asyncpg
import pytest

from tarsy_contracts.events.execution import ExecutionOutcome, ExecutionSpec
from tarsy_testing.real_servers import eventually
from tarsy_timeline.database import migrations, sql
from tarsy_timeline.database.migrations import SchemaFit, compare_schema, migrate
from tarsy_timeline.database.pool import Database
from tarsy_timeline.database.single_connection import connected
from tarsy_timeline.rows.row_changes import ExecutionUpdate
from tarsy_timeline.rows.row_statements import STATEMENTS

COLUMNS = """
    select table_name, column_name, data_type, is_nullable, column_default
    from information_schema.columns where table_schema = $1 and table_name <> 'schema_migrations' order by 1, 2
"""
INDEXES = """
    select indexname, replace(indexdef, $1, '') from pg_indexes
    where schemaname = $1 and tablename <> 'schema_migrations' order by 1
"""
CONSTRAINTS = """
    select conrelid::regclass::text, conname, pg_get_constraintdef(c.oid)
    from pg_constraint c join pg_namespace n on n.oid = c.connamespace
    where n.nspname = $1 and contype <> 'n' and conname not like 'schema_migrations%' order by 2
"""
FUNCTIONS = """
    select proname, pg_get_function_identity_arguments(p.oid), replace(pg_get_functiondef(p.oid), $1, '')
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname = $1 order by 1
"""
TRIGGERS = """
    select tgname, replace(pg_get_triggerdef(t.oid), $1, '')
    from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = $1 and not tgisinternal order by 1
"""


@pytest.fixture
async def connection(database_url: str) -> AsyncIterator["asyncpg.Connection[asyncpg.Record]"]:
    connection = await asyncpg.connect(database_url)
    yield connection
    await connection.close()


async def test_the_migrations_add_up_to_the_schema(
    connection: "asyncpg.Connection[asyncpg.Record]", database_url: str, database_schema: str
) -> None:
    async with Database(database_url, database_schema, 3).running(lambda one: migrate(one, database_schema)):
        migrated = await _described(connection, database_schema)
    written = f"t{uuid.uuid4().hex[:12]}"
    await connection.execute(f"create schema {written}; set search_path = {written}; {sql.schema()}")
    try:
        assert await _described(connection, written) == migrated
        assert [len(rows) > least for rows, least in zip(migrated, (50, 10, 5, 1, 0), strict=True)] == [True] * 5
    finally:
        await connection.execute(f"drop schema {written} cascade")


async def test_each_migration_is_applied_once_whoever_starts_at_the_same_time(
    database_url: str, database_schema: str
) -> None:
    async def start() -> list[str]:
        applied: list[str] = []

        async def prepare(connection: object) -> None:
            applied.extend(await migrate(connection, database_schema))  # type: ignore[arg-type]

        async with Database(database_url, database_schema, 3).running(prepare):
            return applied

    found = await asyncio.gather(*(start() for _ in range(4)))

    assert sorted(name for applied in found for name in applied) == [name for name, _ in sql.migrations()]


async def test_a_process_that_waited_while_another_migrated_finds_it_done(
    connection: "asyncpg.Connection[asyncpg.Record]", database_url: str, database_schema: str
) -> None:
    async def someone_waits() -> bool:
        return bool(
            await connection.fetchval("select count(*) from pg_locks where locktype = 'advisory' and not granted")
        )

    async with (
        connected(database_url, schema=database_schema) as first,
        connected(database_url, schema=database_schema) as second,
    ):
        names = [name for name, _ in sql.migrations()]
        assert (await compare_schema(second, database_schema)).missing == names
        async with first.transaction():
            assert await migrate(first, database_schema) == names
            waiting = asyncio.create_task(migrate(second, database_schema))
            await eventually(someone_waits, "the second one waits for the lock")
        assert await waiting == []


async def test_a_look_while_another_migrates_is_of_one_moment(
    database_url: str, database_schema: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    look = migrations._read_applied

    async def look_and_be_late(connection: migrations.AnyConnection, schema: str) -> set[str] | None:
        found = await look(connection, schema)
        if connection is first:
            await migrate(second, schema)
        return found

    monkeypatch.setattr(migrations, "_read_applied", look_and_be_late)
    async with (
        connected(database_url, schema=database_schema) as first,
        connected(database_url, schema=database_schema) as second,
    ):
        assert await compare_schema(first, database_schema) == SchemaFit([name for name, _ in sql.migrations()])
        assert await look(second, database_schema) == {name for name, _ in sql.migrations()}


OLD_ROWS = """
    insert into sessions (session_id, partition, last_number, last_event_id, status, severity, plan, created_at) values
        ('a', 0, 9, 'e', 'completed', ' Critical', '[{"agents": [{"name": "A", "llm_provider": "gemini"}]}]', now()),
        ('b', 0, 9, 'e', 'failed', null, '[{"agents": [{"name": "A", "llm_provider": "gemini"}]},
            {"agents": [{"name": "B", "llm_provider": "x"}, {"name": "C", "llm_provider": "claude"}]}]', now()),
        ('c', 0, 9, 'e', 'pending', 'minor', '[]', now());
    insert into stages (stage_id, session_id, stage_name, stage_index, status, started_at, number) values
        ('a1', 'a', 'look', 1, 'completed', now(), 8), ('b2', 'b', 'act', 2, 'failed', now(), 8),
        ('c0', 'c', 'lost', 0, 'active', now(), 8);
    insert into agent_executions (
        execution_id, session_id, stage_id, agent_name, agent_index, status, started_at, number
    ) values ('a11', 'a', 'a1', 'A', 1, 'completed', now(), 8), ('b22', 'b', 'b2', 'C', 2, 'failed', now(), 8),
        ('c00', 'c', 'c0', 'D', 0, 'active', now(), 8);
"""


async def test_old_rows_get_the_facts_that_their_plan_had(
    connection: "asyncpg.Connection[asyncpg.Record]", database_schema: str
) -> None:
    (_, first), (_, second) = sql.migrations()[:2]
    await connection.execute(f"create schema {database_schema}; set search_path = {database_schema}; {first}")
    await connection.execute(OLD_ROWS)
    await connection.execute(second)

    async def rows(query: str) -> list[tuple[object, ...]]:
        return [tuple(row) for row in await connection.fetch(query)]

    assert await rows("select session_id, total_stages, has_parallel_stages, priority from sessions order by 1") == [
        ("a", 1, False, 0),
        ("b", 2, True, 2),
        ("c", 0, False, 3),
    ]
    assert await rows("select stage_id, stage_type, chain_stage, expected_agent_count from stages order by 1") == [
        ("a1", "investigation", 0, 1),
        ("b2", "investigation", 1, 2),
        ("c0", "investigation", None, 1),
    ]
    found = await rows("select execution_id, llm_provider, fallback_count from agent_executions order by 1")
    assert found == [("a11", "gemini", 0), ("b22", "claude", 0), ("c00", None, 0)]


NOW = datetime(2026, 11, 29, tzinfo=UTC)
CHANGE = STATEMENTS[ExecutionUpdate]
BEGIN = """
    insert into agent_executions (
        execution_id, session_id, stage_id, agent_name, agent_index, status, started_at, number
    ) values ('x', 's', 't', 'A', 1, 'active', now(), 8)
"""
OF_0_1_0 = """
    update agent_executions set llm_provider = 'gemini', controller = 'react', max_iterations = 20;
    update agent_executions set original_llm_provider = 'gemini', llm_provider = 'claude';
    update agent_executions set status = 'completed', completed_at = now();
    update agent_executions set iterations = 3, forced_conclusion = true;
"""
SPEC = ExecutionSpec(agent="A", llm_provider="gemini", controller="react", max_iterations=20)
OUTCOME = ExecutionOutcome(status="completed", iterations=3, forced_conclusion=True)


async def facts(
    connection: "asyncpg.Connection[asyncpg.Record]",
) -> tuple[ExecutionSpec, ExecutionOutcome, tuple[object, ...]]:
    """Those of the only row: whole, and in the columns that 0.1.0 reads."""
    columns = "controller, max_iterations, iterations, forced_conclusion, partial_reason"
    row = await connection.fetchrow(f"select spec, outcome, {columns} from agent_executions")
    assert row is not None
    spec, outcome = ExecutionSpec.model_validate_json(row[0]), ExecutionOutcome.model_validate_json(row[1])
    return spec, outcome, tuple(row)[2:]


async def migrated_before(connection: "asyncpg.Connection[asyncpg.Record]", schema: str, migration: str) -> str:
    """Leaves the connection in the tables of before it, and returns the text of the migration."""
    texts = dict(sql.migrations())
    before = "".join(text for name, text in texts.items() if name < migration)
    await connection.execute(f"create schema {schema}; set search_path = {schema}; {before}")
    return texts[migration]


@pytest.mark.parametrize("when", ["before the migration", "after it"])
async def test_facts_that_the_last_release_writes_are_those_of_today(
    connection: "asyncpg.Connection[asyncpg.Record]", database_schema: str, when: str
) -> None:
    """A timeline of 0.1.0 goes on beside a later one, on tables that were migrated under it."""
    migration = await migrated_before(connection, database_schema, "0024_execution_facts.sql")
    steps = [BEGIN, OF_0_1_0, migration] if when == "before the migration" else [BEGIN, migration, OF_0_1_0]
    for step in steps:
        await connection.execute(step)

    assert (await facts(connection))[:2] == (SPEC, OUTCOME)


async def test_facts_of_today_are_where_the_last_release_reads_them(
    connection: "asyncpg.Connection[asyncpg.Record]", database_schema: str
) -> None:
    migration = await migrated_before(connection, database_schema, "0024_execution_facts.sql")
    await connection.execute(migration)
    begun = SPEC.model_copy(update={"unavailable_servers": ("git",)})
    for spec, outcome in ((begun.model_dump_json(), None), (None, OUTCOME.model_dump_json())):
        change = ExecutionUpdate("x", "s", "t", "A", 1, "active", None, NOW, None, 8, spec, outcome, "gemini")
        await connection.execute(CHANGE.sql, *change)

    assert await facts(connection) == (begun, OUTCOME, ("react", 20, 3, True, None))

    # Its projector ends what ours began.
    await connection.execute(
        "update agent_executions set status = 'failed', error_message = 'why', completed_at = now()"
    )
    await connection.execute("update agent_executions set iterations = 4, forced_conclusion = false")
    ended = ExecutionOutcome(status="failed", error="why", iterations=4)
    assert await facts(connection) == (begun, ended, ("react", 20, 4, False, None))


async def test_the_sessions_of_before_wait_to_be_indexed(
    connection: "asyncpg.Connection[asyncpg.Record]", database_schema: str
) -> None:
    texts = dict(sql.migrations())
    search = texts.pop("0008_search.sql")
    before = "".join(text for name, text in texts.items() if name < "0006")
    await connection.execute(f"create schema {database_schema}; set search_path = {database_schema}; {before}")
    await connection.execute(
        "insert into sessions (session_id, partition, last_number, last_event_id, created_at) values "
        "('old', 0, 1, 'e', '2026-01-01Z'), ('newer', 0, 1, 'e', '2026-01-02Z')"
    )
    await connection.execute(search)
    # A version that knows nothing of the search goes on writing, wherever its search path leads.
    await connection.execute(f"set search_path = public; update {database_schema}.sessions set last_number = 2")

    queued = await connection.fetch(f"select session_id from {database_schema}.search_queue order by id limit 2")
    assert [row["session_id"] for row in queued] == ["newer", "old"]
    assert await connection.fetchval(f"select count(*) from {database_schema}.search_queue") == 4


@pytest.mark.parametrize(
    "migrations_of_a_release",
    [
        [("1", "alter table stages add column x text"), ("2", "alter table sessions add column x text")],
        [("1", "alter table stages add column x text; alter table sessions add column x text")],
    ],
    ids=["two", "one"],
)
async def test_an_answer_that_reads_the_same_tables_in_another_order_fails_neither(
    database_url: str,
    database_schema: str,
    monkeypatch: pytest.MonkeyPatch,
    migrations_of_a_release: list[tuple[str, str]],
) -> None:
    async with (
        connected(database_url, schema=database_schema) as one,
        connected(database_url, schema=database_schema) as reader,
    ):
        await migrate(one, database_schema)
        monkeypatch.setattr(sql, "migrations", lambda: migrations_of_a_release)
        # The migration finds the deadlock, and is ended by it.
        await reader.execute("set deadlock_timeout = '1min'")
        async with reader.transaction():
            await reader.fetch("select * from sessions")
            migrating = asyncio.create_task(migrate(one, database_schema))

            async def waits_for_the_reader() -> bool:
                query = "select exists (select from pg_locks where relation = 'sessions'::regclass and not granted)"
                return bool(await reader.fetchval(query))

            await eventually(waits_for_the_reader, "the migration waits for sessions")
            await reader.fetch("select * from stages")
        assert await migrating == [name for name, _ in migrations_of_a_release]


async def _described(connection: "asyncpg.Connection[asyncpg.Record]", schema: str) -> tuple[list[object], ...]:
    await connection.execute(f"set search_path = {schema}")
    found = [await connection.fetch(query, schema) for query in (COLUMNS, INDEXES, CONSTRAINTS, FUNCTIONS, TRIGGERS)]
    return tuple([tuple(row) for row in rows] for rows in found)
