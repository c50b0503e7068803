"""`tarsy timeline`."""

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tarsy_cli.console.terminal import fail, print_json, say
from tarsy_cli.kafka_of_home import KafkaOption, PrefixOption, bus_of_home
from tarsy_cli.options import DEFAULT_HOME, HomeOption, JsonOption

if TYPE_CHECKING:
    from tarsy_bus.client.connection import Bus
    from tarsy_timeline.rebuild.rebuild import RebuildPlan

DatabaseOption = Annotated[
    str, typer.Option("--database", help="postgresql://…; else that of the home, or TARSY_DATABASE", show_default=False)
]
SchemaOption = Annotated[
    str, typer.Option(help="the schema of all tables; else TARSY_DATABASE_SCHEMA, or tarsy", show_default=False)
]


def rebuild(
    kafka: KafkaOption = "",
    topic_prefix: PrefixOption = "",
    database: DatabaseOption = "",
    schema: SchemaOption = "",
    processes: Annotated[
        int | None, typer.Option(min=1, max=64, help="how many processes replay in parallel; if left out, one per core")
    ] = None,
    give_up_sessions: Annotated[
        bool, typer.Option("--give-up-sessions", help="sessions that are no longer on the log may be lost")
    ] = False,
    keep: Annotated[bool, typer.Option("--keep", help="keep the previous tables, in SCHEMA_retired")] = False,
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """Rebuild all tables from the session log, beside the live ones, and switch to them.

    The API answers all the while, and running timelines go on in the new tables. Nothing changes when it fails or is
    stopped before the switch. It needs the room of both, and a user who owns the schema and may make another.
    """
    # Here, as the clients take a while to import: other commands would wait for them.
    import asyncio
    import logging

    from aiokafka.errors import KafkaError

    from tarsy_bus.errors import BusError
    from tarsy_local.kafka_sentence import kafka_sentence
    from tarsy_service.telemetry.logs import configure_logs
    from tarsy_timeline.errors import TimelineError
    from tarsy_timeline.rebuild.processes import RebuildTarget
    from tarsy_timeline.rebuild.rebuild import RebuildPlan, fresh_schema_of

    configure_logs("CRITICAL", logging.NullHandler())
    bus, url, live = connections_of(home, kafka, topic_prefix, database, schema)
    target = RebuildTarget(bus, url, fresh_schema_of(live))
    plan = RebuildPlan(
        target, live, processes or os.cpu_count() or 1, gives_up_sessions=give_up_sessions, keeps_retired=keep
    )
    try:
        asyncio.run(_rebuild_tables(plan))
    except (BusError, TimelineError) as problem:
        raise fail(f"The tables were not rebuilt: {problem}") from None
    except (KafkaError, TimeoutError) as problem:
        raise fail(kafka_sentence(bus.bootstrap, problem)) from None


def checksums(
    database: DatabaseOption = "",
    schema: SchemaOption = "",
    as_json: JsonOption = False,
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """Show the row count and a checksum of each table: they are the same for all projections of one log."""
    import asyncio

    from pydantic import RootModel

    from tarsy_timeline.database.single_connection import DatabaseUnusableError, connected
    from tarsy_timeline.rebuild.checksums import table_checksums

    url, name = database_of(home, database, schema)

    async def read() -> dict[str, tuple[int, str]]:
        async with connected(url) as connection:
            return await table_checksums(connection, name)

    try:
        found = asyncio.run(read())
    except DatabaseUnusableError as problem:
        raise fail(str(problem)) from None
    if as_json:
        print_json(RootModel[dict[str, tuple[int, str]]](found))
        return
    for table, (rows, checksum) in found.items():
        say(f"{table:<18} {rows:>12,} rows  {checksum}")


class _Told:
    """Progress of a rebuild at the terminal: each step, and how many events it took."""

    def __init__(self) -> None:
        self.events = 0
        self._began = time.monotonic()

    def step(self, what: str) -> None:
        say(f"{time.monotonic() - self._began:7.1f} s  {self.events:>10,} events  {what}")

    def count(self, events: int) -> None:
        self.events += events


async def _rebuild_tables(plan: "RebuildPlan") -> None:
    from tarsy_bus.topics.kafka_rights import TIMELINE
    from tarsy_bus.topics.topics_admin import check_topics
    from tarsy_timeline.database.single_connection import connected
    from tarsy_timeline.rebuild.rebuild import rebuild

    progress = _Told()
    await check_topics(plan.target.bus, TIMELINE)
    async with connected(plan.target.url) as connection:
        await rebuild(plan, connection, progress)
    progress.step("done: the tables were rebuilt, and readers read them")


def connections_of(home: Path, kafka: str, topic_prefix: str, database: str, schema: str) -> tuple["Bus", str, str]:
    return bus_of_home(home, kafka, topic_prefix), *database_of(home, database, schema)


def database_of(home: Path, database: str, schema: str) -> tuple[str, str]:
    from pydantic import ValidationError

    from tarsy_cli.doctor.setup import Named, find_setup
    from tarsy_service.settings.service_settings import mistakes_in_settings
    from tarsy_timeline.settings import DatabaseSettings

    setup = find_setup(home, Path(), os.environ, Named(database=database))
    if not setup.database:
        raise fail(f"No PostgreSQL is known: no TARSy is ready in {home}; name one with --database.")
    try:
        given = DatabaseSettings.model_validate({"database": setup.database, "database_schema": schema or setup.schema})
    except ValidationError as problem:
        raise fail("\n".join(mistakes_in_settings(problem))) from None
    return given.database.get_secret_value(), given.database_schema
