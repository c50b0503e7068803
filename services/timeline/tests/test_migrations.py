import asyncio
import uuid
from collections.abc import AsyncIterator

import asyncpg
import pytest

from tarsy_timeline import sql
from tarsy_timeline.database import Database
from tarsy_timeline.migrating import migrate

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
        assert len(migrated[0]) > 50
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

    assert sorted(found) == [[], [], [], [name for name, _ in sql.migrations()]]


async def _described(connection: "asyncpg.Connection[asyncpg.Record]", schema: str) -> tuple[list[object], ...]:
    await connection.execute(f"set search_path = {schema}")
    found = [await connection.fetch(query, schema) for query in (COLUMNS, INDEXES, CONSTRAINTS)]
    return tuple([tuple(row) for row in rows] for rows in found)
