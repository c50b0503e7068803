"""`tarsy retention`."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tarsy_cli.console.terminal import fail, say
from tarsy_cli.options import DEFAULT_HOME, USAGE, HomeOption, UrlOption
from tarsy_cli.session_commands import api_of, exit_on_failure

if TYPE_CHECKING:
    from datetime import datetime

    from tarsy_bus.client.connection import Bus
    from tarsy_bus.log.retention import LogCut
    from tarsy_config.sections.defaults import Retention
    from tarsy_contracts.api.session_lists import ListedSession

SHOWN = 10


def retention(
    sessions: Annotated[
        int | None,
        typer.Option(
            "--sessions", min=1, help="delete sessions that began more than this many days ago and have ended"
        ),
    ] = None,
    details: Annotated[
        int | None,
        typer.Option("--details", min=1, help="delete timelines of sessions that ended more than this many days ago"),
    ] = None,
    log: Annotated[bool, typer.Option("--log", help="delete records of the session log that no session needs")] = False,
    config: Annotated[
        Path | None,
        typer.Option("--config", help="tarsy.yaml, or its folder: what `system.retention` says goes, too"),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="say what would be deleted, and delete nothing")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="do not ask, for scheduled runs")] = False,
    kafka: Annotated[
        str, typer.Option(help="a Kafka, HOST:PORT[,HOST:PORT]; else that of the home", show_default=False)
    ] = "",
    topic_prefix: Annotated[str, typer.Option(help="the prefix of topic names", show_default=False)] = "",
    database: Annotated[
        str,
        typer.Option("--database", help="postgresql://…; else that of the home", show_default=False),
    ] = "",
    schema: Annotated[str, typer.Option(help="the schema of the timeline's tables", show_default=False)] = "",
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = "",
) -> None:
    """Delete old sessions, and what the session log keeps of deleted ones. It says first what it will delete.

    A session is deleted by its owner, as a decision on the log: pages, lists and searches show it no longer. With --log
    records of the log are deleted below every session that is still wanted, and below what a timeline has read. With
    --details the verdict of a session stays, and its timeline goes from PostgreSQL alone: a rebuild brings it back.
    """
    if config is not None:
        configured = _read_retention(config)
        sessions = sessions or configured.session_retention_days
        details = details or configured.details_retention_days
        log = log or configured.free_log
        if sessions is None and details is None and not log:
            say("`system.retention` says nothing: all is kept.")
            return
    if sessions is None and details is None and not log:
        raise fail("Say what to delete: --sessions DAYS, --details DAYS, --log, --config FOLDER.", code=USAGE)
    if sessions is not None:
        _delete_sessions(api_of(home, url), sessions, dry_run=dry_run, yes=yes)
    if details is not None:
        _delete_details(*_find_database(home, database, schema), details, dry_run=dry_run, yes=yes)
    if log:
        _cut_log(*_find_connections(home, kafka, topic_prefix, database, schema), dry_run=dry_run, yes=yes)


def _read_retention(path: Path) -> "Retention":
    from tarsy_cli.config.commands import read_config

    return read_config(path).system.retention


def _delete_sessions(api: str, days: int, *, dry_run: bool, yes: bool) -> None:
    from datetime import UTC, datetime, timedelta

    from tarsy_cli.retention.old_sessions import delete_sessions, list_expired_sessions

    before = datetime.now(UTC) - timedelta(days=days)
    with exit_on_failure(api):
        found = list(list_expired_sessions(api, before))
    _print_sessions(found, before)
    if dry_run or not found:
        return
    _require_consent(f"Delete {len(found)} sessions?", yes=yes)
    done = delete_sessions(api, [one.id for one in found], lambda _: None)
    say(f"{done.deleted} sessions were deleted.")
    if done.refused:
        raise fail("\n".join(done.refused))


def _print_sessions(found: "list[ListedSession]", before: "datetime") -> None:
    say(f"{len(found)} sessions began before {before:%Y-%m-%d %H:%M} UTC and have ended.")
    for one in found[:SHOWN]:
        say(f"  {one.id}  {one.created_at}  {one.status}  {one.title or one.alert_type}")
    if len(found) > SHOWN:
        say(f"  … and {len(found) - SHOWN} more")


def _delete_details(database: str, schema: str, days: int, *, dry_run: bool, yes: bool) -> None:
    import asyncio
    from datetime import UTC, datetime, timedelta

    from tarsy_timeline.database.details_retention import count_details, delete_details
    from tarsy_timeline.database.single_connection import DatabaseUnusableError, connected

    before = datetime.now(UTC) - timedelta(days=days)

    async def count() -> int:
        async with connected(database, schema=schema) as connection:
            return (await count_details(connection, before)).sessions

    async def delete() -> int:
        async with connected(database, schema=schema) as connection:
            return await delete_details(connection, before)

    try:
        found = asyncio.run(count())
        say(f"{found} sessions ended before {before:%Y-%m-%d %H:%M} UTC and have their timeline in the tables.")
        if dry_run or not found:
            return
        _require_consent(f"Delete {found} timelines?", yes=yes)
        say(f"{asyncio.run(delete())} timelines were deleted.")
    except DatabaseUnusableError as problem:
        raise fail(str(problem)) from None


def _find_database(home: Path, database: str, schema: str) -> tuple[str, str]:
    from tarsy_cli.timeline_commands import database_of

    return database_of(home, database, schema)


def _cut_log(bus: "Bus", database: str, schema: str, *, dry_run: bool, yes: bool) -> None:

    import asyncio
    import logging

    from aiokafka.errors import KafkaError

    from tarsy_bus.errors import BusError
    from tarsy_bus.log.retention import cut_log
    from tarsy_local.kafka_sentence import kafka_sentence
    from tarsy_service.telemetry.logs import configure_logs
    from tarsy_timeline.database.single_connection import DatabaseUnusableError

    configure_logs("CRITICAL", logging.NullHandler())
    try:
        cuts = asyncio.run(_plan_cuts(bus, database, schema))
        _print_cuts(cuts)
        if dry_run or not cuts:
            return
        _require_consent("Delete these records?", yes=yes)
        asyncio.run(cut_log(bus, cuts))
    except (BusError, DatabaseUnusableError) as problem:
        raise fail(str(problem)) from None
    except (KafkaError, TimeoutError) as problem:
        raise fail(kafka_sentence(bus.bootstrap, problem)) from None
    say("The records were deleted.")


async def _plan_cuts(bus: "Bus", database: str, schema: str) -> "list[LogCut]":
    from tarsy_bus.log.retention import plan_log_cuts
    from tarsy_bus.topics.kafka_rights import RETENTION
    from tarsy_bus.topics.topics_admin import check_topics
    from tarsy_timeline.database.single_connection import connected

    await check_topics(bus, RETENTION)
    async with connected(database, schema=schema) as connection:
        rows = await connection.fetch("select partition, next_offset from positions")
    return await plan_log_cuts(bus, {row["partition"]: row["next_offset"] for row in rows})


def _print_cuts(cuts: "list[LogCut]") -> None:
    for cut in cuts:
        say(f"  partition {cut.partition}: {cut.records} records, from offset {cut.first} to before {cut.cut}")
    say(f"{sum(cut.records for cut in cuts)} records of the session log are below what any session needs.")


def _require_consent(question: str, *, yes: bool) -> None:
    if yes:
        return
    if not sys.stdin.isatty():
        raise fail(
            "There is no terminal to ask at: --yes deletes without asking, --dry-run only shows what would be deleted.",
            code=USAGE,
        )
    typer.confirm(question, abort=True)


def _find_connections(home: Path, kafka: str, topic_prefix: str, database: str, schema: str) -> "tuple[Bus, str, str]":
    from tarsy_cli.timeline_commands import connections_of

    return connections_of(home, kafka, topic_prefix, database, schema)
