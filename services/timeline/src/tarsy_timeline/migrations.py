"""Migrations: forward only, each once, all of a start in one transaction."""

import structlog

from tarsy_timeline import sql
from tarsy_timeline.database import Connection

log = structlog.get_logger(__name__)


async def migrate(connection: Connection, schema: str) -> list[str]:
    """Applies what is missing and returns its names. Several processes may call it at the same time."""
    async with connection.transaction():
        await connection.execute("select pg_advisory_xact_lock(hashtext($1))", f"tarsy-timeline/{schema}")
        await connection.execute(f'create schema if not exists "{schema}"')
        await connection.execute(
            f'create table if not exists "{schema}".schema_migrations '
            "(name text primary key, applied_at timestamptz not null default now())"
        )
        rows = await connection.fetch(f'select name from "{schema}".schema_migrations')
        applied = {row["name"] for row in rows}
        missing = [(name, text) for name, text in sql.migrations() if name not in applied]
        for name, text in missing:
            await connection.execute(text)
            await connection.execute(f'insert into "{schema}".schema_migrations (name) values ($1)', name)
            log.info("migration.applied", schema=schema, name=name)
    return [name for name, _ in missing]
