"""Migrations: forward only, each once, each in a transaction of its own."""

import asyncio
from dataclasses import dataclass, field

import asyncpg

from tarsy_timeline.database import sql
from tarsy_timeline.database.pool import Connection
from tarsy_timeline.database.single_connection import SingleConnection

LOCK_SECONDS = 10
"""A table that somebody reads for longer (a dump) is left alone: who waits for it holds up all that come later."""

DEADLOCKS = 10
"""Answers of a running timeline lock tables in another order: PostgreSQL ends one of two that wait in a circle."""

PAUSE_SECONDS = 1.0

type AnyConnection = Connection | SingleConnection


@dataclass(frozen=True, slots=True)
class SchemaFit:
    """`missing` are the migrations that would be applied; `unknown` are those of a newer TARSy, which may stay."""

    missing: list[str] = field(default_factory=list)
    misfits: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)


async def migrate(connection: AnyConnection, schema: str) -> list[str]:
    """Applies what is missing and returns its names. Several processes may call it at the same time.

    No two tables stay locked for longer than one migration needs both: what was applied stays when a later one fails.
    """
    known = sql.migrations()
    applied: list[str] = []
    while name := await _apply_next(connection, schema, known):
        applied.append(name)
    return applied


async def _apply_next(connection: AnyConnection, schema: str, known: list[tuple[str, str]]) -> str | None:
    """Its name; None where nothing is missing. A deadlock is begun again, DEADLOCKS times."""
    for _ in range(DEADLOCKS):
        try:
            return await _try_next(connection, schema, known)
        except asyncpg.DeadlockDetectedError:
            await asyncio.sleep(PAUSE_SECONDS)
    return await _try_next(connection, schema, known)


async def _try_next(connection: AnyConnection, schema: str, known: list[tuple[str, str]]) -> str | None:
    async with connection.transaction():
        await connection.execute("select pg_advisory_xact_lock(hashtext($1))", f"tarsy-timeline/{schema}")
        await connection.execute(f"set local lock_timeout = '{LOCK_SECONDS}s'")
        applied = await _read_applied(connection, schema)
        if applied is None:
            await _make_schema(connection, schema)
        missing = [(name, text) for name, text in known if name not in (applied or set())]
        if not missing:
            return None
        name, text = missing[0]
        await connection.execute(text)
        await connection.execute(f'insert into "{schema}".schema_migrations (name) values ($1)', name)
        return name


async def compare_schema(connection: AnyConnection, schema: str) -> SchemaFit:
    """Changes nothing. All that it reads is of one moment: another process may migrate."""
    async with connection.transaction(isolation="repeatable_read", readonly=True):
        return await _compare_schema(connection, schema)


async def _compare_schema(connection: AnyConnection, schema: str) -> SchemaFit:
    applied = await _read_applied(connection, schema)
    known = [name for name, _ in sql.migrations()]
    missing = [name for name in known if name not in (applied or set())]
    misfits = await _list_refused_rights(connection, schema) if missing else []
    if applied is None and (foreign := await _read_tables(connection, schema) & sql.tables()):
        misfits.append(f"the schema {schema} has tables that TARSy did not make: {', '.join(sorted(foreign))}")
    return SchemaFit(missing, misfits, sorted((applied or set()) - set(known)))


async def _read_applied(connection: AnyConnection, schema: str) -> set[str] | None:
    """None where nothing was ever applied."""
    if "schema_migrations" not in await _read_tables(connection, schema):
        return None
    rows = await connection.fetch(f'select name from "{schema}".schema_migrations')
    return {row["name"] for row in rows}


async def _make_schema(connection: AnyConnection, schema: str) -> None:
    # `if not exists` would ask for the right to make a schema all the same, which its owner need not have.
    if not await _schema_exists(connection, schema):
        await connection.execute(f'create schema "{schema}"')
    await connection.execute(
        f'create table "{schema}".schema_migrations (name text primary key, applied_at timestamptz not null '
        "default now())"
    )


async def _list_refused_rights(connection: AnyConnection, schema: str) -> list[str]:
    is_there = await _schema_exists(connection, schema)
    if is_there:
        may = await connection.fetchval("select has_schema_privilege($1, 'CREATE')", schema)
    else:
        may = await connection.fetchval("select has_database_privilege(current_database(), 'CREATE')")
    if may:
        return []
    user, database = await connection.fetchrow("select current_user, current_database()") or ("", "")
    where = f"SCHEMA {schema}" if is_there else f"DATABASE {database}"
    what = f"tables in the schema {schema}" if is_there else f"the schema {schema}"
    return [f"the user {user} may not make {what}: `GRANT CREATE ON {where} TO {user}` lets it"]


async def _schema_exists(connection: AnyConnection, schema: str) -> bool:
    # `to_regnamespace` answers from a cache: it does not see what another process made while we waited for the lock.
    return bool(await connection.fetchval("select exists (select from pg_namespace where nspname = $1)", schema))


async def _read_tables(connection: AnyConnection, schema: str) -> set[str]:
    rows = await connection.fetch("select tablename from pg_tables where schemaname = $1", schema)
    return {row["tablename"] for row in rows}
