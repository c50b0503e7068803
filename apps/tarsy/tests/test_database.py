"""`tarsy database migrate`, on the real PostgreSQL."""

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

import asyncpg
import pytest
from typer.testing import CliRunner

from tarsy_cli.app import cli
from tarsy_timeline.database import sql

NAMES = [name for name, _ in sql.migrations()]


def migrated(*arguments: str, **variables: str) -> tuple[int, str]:
    """The exit code, and all lines as one."""
    result = CliRunner().invoke(cli, ["database", "migrate", *arguments], env=variables)
    return result.exit_code, " ".join(result.output.split())


def run_sql(url: str, *statements: str) -> None:
    async def run() -> None:
        connection = await asyncpg.connect(url)
        try:
            for statement in statements:
                await connection.execute(statement)
        finally:
            await connection.close()

    asyncio.run(run())


@pytest.fixture
def variables(database_url: str, database_schema: str) -> dict[str, str]:
    return {"TARSY_DATABASE": database_url, "TARSY_DATABASE_SCHEMA": database_schema}


@pytest.fixture
async def guest(database_url: str) -> AsyncIterator[str]:
    """The name of a user who may connect, and nothing more; it is its password too."""
    name = f"guest{uuid4().hex[:8]}"
    connection = await asyncpg.connect(database_url)
    await connection.execute(f"create role {name} login password '{name}'")
    yield name
    await connection.execute(f"drop owned by {name} cascade; drop role {name}")
    await connection.close()


def url_of(user: str, database_url: str) -> str:
    parts = urlsplit(database_url)
    return parts._replace(netloc=f"{user}:{user}@{parts.hostname}:{parts.port}").geturl()


def test_a_dry_run_says_what_is_applied_once_afterwards(variables: dict[str, str], database_schema: str) -> None:
    would = " ".join(f"would apply {name}" for name in NAMES)
    assert migrated("--dry-run", **variables) == (1, would)
    assert migrated("--dry-run", **variables) == (1, would)
    assert migrated(**variables) == (0, " ".join(f"applied {name}" for name in NAMES))
    nothing = (0, f"The schema {database_schema} has all migrations.")
    assert migrated(**variables) == nothing
    assert migrated("--dry-run", **variables) == nothing


def test_options_and_a_file_name_the_database_too(database_url: str, database_schema: str, tmp_path: Path) -> None:
    (file := tmp_path / "database").write_text(f"{database_url}\n", "utf-8")
    named = {"TARSY_DATABASE_FILE": str(file), "TARSY_DATABASE_SCHEMA": "elsewhere"}
    assert migrated("--schema", database_schema, **named)[0] == 0
    given = ("--database", database_url, "--schema", database_schema, "--dry-run")
    assert migrated(*given, TARSY_DATABASE="postgresql://127.0.0.1:1/nowhere") == (
        0,
        f"The schema {database_schema} has all migrations.",
    )


def test_several_at_once_apply_each_migration_once(variables: dict[str, str]) -> None:
    command = [sys.executable, "-m", "tarsy_cli", "database", "migrate"]
    started = [
        subprocess.Popen(command, env=os.environ | variables, stdout=subprocess.PIPE, text=True) for _ in range(3)
    ]
    said = [one.communicate(timeout=120)[0] for one in started]
    assert [one.returncode for one in started] == [0, 0, 0]
    assert "".join(said).count("applied ") == len(NAMES)


def test_a_database_that_cannot_be_asked_is_told_apart_and_without_its_password() -> None:
    nowhere = "postgresql://tarsy:hush@127.0.0.1:1/tarsy"
    for arguments, code in (("--dry-run",), 3), ((), 1):
        ended, said = migrated(*arguments, TARSY_DATABASE=nowhere)
        assert ended == code
        assert "PostgreSQL at postgresql://127.0.0.1:1/tarsy cannot be used" in said
        assert "hush" not in said
    ended, said = migrated(TARSY_DATABASE="postgresql://tarsy:hush@[/tarsy")
    assert (ended, "hush" in said) == (2, False)


def test_a_wrong_password_is_no_outage(database_url: str) -> None:
    ended, said = migrated(TARSY_DATABASE=url_of("nobody-we-know", database_url))
    assert (ended, "hush" in said) == (2, False)


def test_settings_that_are_missing_or_wrong_are_named() -> None:
    assert migrated() == (2, "TARSY_DATABASE: Field required")
    ended, said = migrated("--schema", "Robert'); drop", TARSY_DATABASE="postgresql://127.0.0.1:1/tarsy")
    assert ended == 2
    assert said.startswith("TARSY_DATABASE_SCHEMA: String should match pattern")


def test_tables_of_somebody_else_do_not_fit(variables: dict[str, str], database_url: str, database_schema: str) -> None:
    run_sql(database_url, f"create schema {database_schema}", f"create table {database_schema}.sessions (id text)")
    sentence = f"the schema {database_schema} has tables that TARSy did not make: sessions"
    code, said = migrated("--dry-run", **variables)
    assert (code, f"does not fit: {sentence}" in said) == (2, True)
    code, said = migrated(**variables)
    assert (code, sentence in said) == (2, True)


def test_migrations_of_a_newer_tarsy_may_stay(
    variables: dict[str, str], database_url: str, database_schema: str
) -> None:
    assert migrated(**variables)[0] == 0
    run_sql(database_url, f"insert into {database_schema}.schema_migrations (name) values ('9999_later.sql')")
    for arguments in (), ("--dry-run",):
        code, said = migrated(*arguments, **variables)
        assert (code, "differs, and may: 9999_later.sql" in said) == (0, True)


def test_a_user_who_may_not_make_the_schema_is_told_so(guest: str, database_url: str, database_schema: str) -> None:
    variables = {"TARSY_DATABASE": url_of(guest, database_url), "TARSY_DATABASE_SCHEMA": database_schema}
    code, said = migrated("--dry-run", **variables)
    assert code == 2
    assert f"the user {guest} may not make the schema {database_schema}: `GRANT CREATE ON DATABASE" in said
    assert migrated(**variables)[0] == 2


def test_the_owner_of_the_schema_needs_no_other_right(guest: str, database_url: str, database_schema: str) -> None:
    run_sql(database_url, f"create schema {database_schema} authorization {guest}")
    variables = {"TARSY_DATABASE": url_of(guest, database_url), "TARSY_DATABASE_SCHEMA": database_schema}
    assert migrated(**variables)[0] == 0


async def test_a_table_that_somebody_reads_for_long_is_left_alone(
    variables: dict[str, str], database_url: str, database_schema: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tarsy_timeline.database.migrations.LOCK_SECONDS", 1)
    reader = await asyncpg.connect(database_url)
    try:
        first = sql.migrations()[0][1]
        await reader.execute(f"create schema {database_schema}; set search_path = {database_schema}; {first}")
        await reader.execute("create table schema_migrations (name text primary key, applied_at timestamptz)")
        await reader.execute("insert into schema_migrations (name) values ($1)", NAMES[0])
        async with reader.transaction():
            await reader.fetch("select * from sessions")
            code, said = await asyncio.to_thread(migrated, **variables)
        assert (code, "lock timeout" in said) == (1, True)
        code, said = await asyncio.to_thread(migrated, **variables)
        assert (code, said) == (0, " ".join(f"applied {name}" for name in NAMES[1:]))
    finally:
        await reader.close()
