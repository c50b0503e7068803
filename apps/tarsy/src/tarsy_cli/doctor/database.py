"""Check of PostgreSQL: reachable, of a tested version, with our schema, its tables and the rights on them."""

from collections.abc import AsyncIterator, Sequence

from tarsy_cli.doctor.findings import CheckResult, NotCheckedError, failure, ok, warning
from tarsy_cli.doctor.setup import Setup
from tarsy_timeline.database import sql
from tarsy_timeline.database.single_connection import DatabaseUnusableError, SingleConnection, connected
from tarsy_timeline.database.url import without_password

CONNECT_SECONDS = 8.0
TESTED_VERSION = 18
FEW_CONNECTIONS = 10
"""A timeline opens as many, unless it is told otherwise."""
PAGE = "docs/how-to/bring-your-own-postgres.md"
SERVER = """
select current_setting('server_encoding') as encoding, pg_is_in_recovery() as is_standby,
       has_database_privilege(current_database(), 'CREATE') as may_create,
       to_regnamespace(quote_ident($1)) is not null as has_schema,
       current_setting('max_connections')::int - (select count(*) from pg_stat_activity)::int as connections_left
"""
TABLES = """
select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
where n.nspname = $1 and c.relkind in ('r', 'p') and not (
  has_schema_privilege(n.oid, 'USAGE') and has_table_privilege(c.oid, 'SELECT') and has_table_privilege(c.oid, 'INSERT')
  and has_table_privilege(c.oid, 'UPDATE') and has_table_privilege(c.oid, 'DELETE'))
order by 1
"""


def database_of(setup: Setup) -> str:
    """Raises NotCheckedError."""
    if not setup.database:
        raise NotCheckedError(
            f"No PostgreSQL is named{f', and {setup.why_not}' if setup.why_not else ''}.",
            "Start one with `tarsy up`, or name yours with TARSY_DATABASE or --database.",
        )
    return setup.database


async def check_database(setup: Setup) -> AsyncIterator[CheckResult]:
    url = database_of(setup)
    found: Sequence[CheckResult]
    try:
        # As services do: a pooler may refuse what they set at the start of a connection.
        async with connected(url, schema=setup.schema, seconds=CONNECT_SECONDS) as connection:
            found = await _judge_server(connection, setup.schema, without_password(url))
    except DatabaseUnusableError as problem:
        found = [failure(str(problem), f"{PAGE} says what it needs.")]
    for finding in found:
        yield finding


async def _judge_server(connection: SingleConnection, schema: str, where: str) -> list[CheckResult]:
    server = await connection.fetchrow(SERVER, schema)
    if server is None:
        return []
    major = connection.get_server_version().major
    found = [ok(f"PostgreSQL {major} at {where} accepts our login.")]
    if major != TESTED_VERSION:
        found.append(
            warning(f"TARSy has not been tried with PostgreSQL {major}.", f"TARSy is tested with {TESTED_VERSION}.")
        )
    if server["encoding"] != "UTF8":
        found.append(failure(f"The database has the encoding {server['encoding']}.", "Make one with UTF8."))
    if server["is_standby"]:
        found.append(failure("This server is a standby: it accepts no writes.", "Name the primary."))
    if server["connections_left"] < FEW_CONNECTIONS:
        left = f"Only {server['connections_left']} connections are left"
        found.append(warning(f"{left} to this server.", "Raise max_connections, or close unused connections."))
    if server["has_schema"]:
        return [*found, *await _look_at_tables(connection, schema)]
    if server["may_create"]:
        return [*found, warning(f"The schema {schema} is not there yet.", "The timeline makes it at its start.")]
    remedy = "GRANT CREATE ON DATABASE … TO the user, or make the schema for it."
    return [*found, failure(f"There is no schema {schema}, and we may not create it.", remedy)]


async def _look_at_tables(connection: SingleConnection, schema: str) -> list[CheckResult]:
    denied = [row["name"] for row in await connection.fetch(TABLES, schema)]
    if denied:
        remedy = f"Grant all on the schema {schema} and its tables, or make the user their owner."
        return [failure(f"We may not read and write {schema}.{', '.join(denied)}.", remedy)]
    if await connection.fetchval("select to_regclass(quote_ident($1) || '.schema_migrations')", schema) is None:
        return [warning(f"The schema {schema} has no tables yet.", "The timeline makes them at its start.")]
    rows = await connection.fetch(f'select name from "{schema.replace('"', '""')}".schema_migrations')
    return [_judge_migrations({row["name"] for row in rows}, schema)]


def _judge_migrations(applied: set[str], schema: str) -> CheckResult:
    known = {name for name, _ in sql.migrations()}
    if missing := sorted(known - applied):
        remedy = "The timeline applies them at its start: start one of this version."
        return warning(f"Migrations of the schema {schema} are missing: {', '.join(missing)}.", remedy)
    if newer := sorted(applied - known):
        return warning(
            f"The schema {schema} has migrations that this version does not know: {', '.join(newer)}.",
            "A newer TARSy has migrated it; use that version.",
        )
    return ok(f"The schema {schema} has all {len(known)} migrations, and we may write it.")
