"""`tarsy database`."""

from typing import TYPE_CHECKING, Annotated

import typer

from tarsy_cli.console.terminal import fail, say
from tarsy_cli.options import MISFITS, NOT_ASKED, UNCHANGING, WOULD_CHANGE

if TYPE_CHECKING:
    from tarsy_timeline.settings import DatabaseSettings


def migrate(
    url: Annotated[
        str, typer.Option("--database", help="postgresql://…; else TARSY_DATABASE or the file TARSY_DATABASE_FILE")
    ] = "",
    schema: Annotated[
        str, typer.Option(help="the schema of all tables; else TARSY_DATABASE_SCHEMA, or tarsy", show_default=False)
    ] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="say what would be applied and what does not fit")] = False,
) -> None:
    """Create or migrate the tables of the timeline. A timeline does the same when it starts.

    The exit code is 1 for an outage, and 2 for errors that a retry cannot fix, such as a wrong setting or schema, or a
    refused login.

    With --dry-run nothing is changed. Exit codes: 0 nothing to do, 1 migrations would be applied, 2 the schema does not
    fit, 3 the database is not available.
    """
    # Here, as the clients take a while to import: other commands would wait for them.
    import asyncio

    from tarsy_timeline.database.single_connection import DatabaseMisconfiguredError, DatabaseUnusableError

    settings = _read_settings(url, schema, code=NOT_ASKED if dry_run else UNCHANGING)
    try:
        code = asyncio.run(_compare_migrations(settings) if dry_run else _apply_migrations(settings))
    except DatabaseUnusableError as problem:
        code = UNCHANGING if isinstance(problem, DatabaseMisconfiguredError) else 1
        raise fail(str(problem), code=NOT_ASKED if dry_run else code) from None
    raise typer.Exit(code)


def _read_settings(url: str, schema: str, *, code: int) -> "DatabaseSettings":
    from pydantic import ValidationError

    from tarsy_service.settings.service_settings import mistakes_in_settings
    from tarsy_timeline.settings import DatabaseSettings

    given = {"database": url, "database_schema": schema}
    try:
        return DatabaseSettings.model_validate({name: value for name, value in given.items() if value})
    except ValidationError as problem:
        raise fail("\n".join(mistakes_in_settings(problem)), code=code) from None


async def _apply_migrations(settings: "DatabaseSettings") -> int:
    from tarsy_timeline.database import migrations
    from tarsy_timeline.database.single_connection import connected

    schema = settings.database_schema
    async with connected(settings.database.get_secret_value(), schema=schema) as connection:
        found = await migrations.compare_schema(connection, schema)
        if found.misfits:
            raise fail(f"The schema {schema} could not be migrated: {'; '.join(found.misfits)}.", code=UNCHANGING)
        applied = await migrations.migrate(connection, schema)
    _print_changes([f"applied {name}" for name in applied], found.unknown, schema)
    return 0


async def _compare_migrations(settings: "DatabaseSettings") -> int:
    from tarsy_timeline.database.migrations import compare_schema
    from tarsy_timeline.database.single_connection import connected

    schema = settings.database_schema
    async with connected(settings.database.get_secret_value(), schema=schema) as connection:
        found = await compare_schema(connection, schema)
    lines = [
        *(f"would apply {name}" for name in found.missing),
        *(f"does not fit: {misfit}" for misfit in found.misfits),
    ]
    _print_changes(lines, found.unknown, schema)
    if found.misfits:
        return MISFITS
    return WOULD_CHANGE if found.missing else 0


def _print_changes(changes: list[str], unknown: list[str], schema: str) -> None:
    for line in changes or [f"The schema {schema} has all migrations."]:
        say(line)
    for name in unknown:
        say(f"differs, and may: {name} was applied by a newer TARSy")
