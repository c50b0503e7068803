"""Rebuild of all tables from the session log: into a fresh schema beside the live one, which it then replaces."""

from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Protocol

import asyncpg
import structlog

from tarsy_bus.readers.partition_reader import PartitionReader, ends
from tarsy_bus.topics.topics_admin import cluster_id
from tarsy_timeline.database import migrations
from tarsy_timeline.database.single_connection import SingleConnection, connected
from tarsy_timeline.database.sql import REBUILD
from tarsy_timeline.errors import TimelineError
from tarsy_timeline.projection.checkpoint import LogIdentity, ProjectionCheckpoint
from tarsy_timeline.projection.search_indexer import SearchIndexer
from tarsy_timeline.rebuild.fresh_schema import make_fresh_schema, make_indexes
from tarsy_timeline.rebuild.processes import RebuildTarget, note_prepared, replay_here, replay_in_processes, shares_of
from tarsy_timeline.rebuild.replay import ReplayShare
from tarsy_timeline.rebuild.schema_switch import StillBehindError, mend_functions, switch

log = structlog.get_logger(__name__)

ATTEMPTS_TO_SWITCH = 20
NOT_YET = (StillBehindError, TimeoutError, asyncpg.LockNotAvailableError, asyncpg.DeadlockDetectedError)
"""Other processes use the tables: the search indexer takes them in another order than the API."""


class RebuildRefusedError(TimelineError):
    """The live tables have what a rebuild would not give back, or others are at it. The operator decides."""


class RebuildProgress(Protocol):
    """Steps of a rebuild, for people."""

    def step(self, what: str) -> None: ...
    def count(self, events: int) -> None: ...


@dataclass(frozen=True, slots=True)
class RebuildPlan:
    """`schema` is the live one. `gives_up_sessions`: sessions that are no longer on the log may go."""

    target: RebuildTarget
    schema: str
    processes: int
    gives_up_sessions: bool = False
    keeps_retired: bool = False

    @property
    def retired(self) -> str:
        return f"{self.schema}_retired"


def fresh_schema_of(schema: str) -> str:
    return f"{schema}_rebuild"


async def rebuild(plan: RebuildPlan, connection: SingleConnection, progress: RebuildProgress) -> None:
    """The live tables stay as they are until the switch, and answers come all the while.

    Raises RebuildRefusedError, ReplayFailedError, LogMismatchError, KafkaError; then the live tables are untouched.
    """
    async with _exclusive_lock(plan):
        await _refuse_newer_tables(connection, plan.schema)
        fresh, target = plan.target.schema, plan.target
        progress.step(f"making the schema {fresh}")
        indexes = await make_fresh_schema(connection, fresh)
        goals, trimmed = await _begin_schema(target)
        await _replay_log(plan, goals, trimmed, progress)
        progress.step("making indexes")
        await make_indexes(connection, fresh, indexes)
        progress.step("indexing words for the search")
        await _index_words(target)
        await _catch_up(target, progress)
        if not plan.gives_up_sessions:
            await _refuse_missing_sessions(connection, plan, progress)
        progress.step(f"switching from {plan.schema} to {fresh}")
        await _switch_schemas(plan, connection, progress)
        if not plan.keeps_retired:
            await connection.execute(f'drop schema if exists "{plan.retired}" cascade')


@asynccontextmanager
async def _exclusive_lock(plan: RebuildPlan) -> AsyncIterator[None]:
    """The lock is one of a transaction, as a pooler keeps a connection for no longer: it ends with the connection."""
    async with connected(plan.target.url) as guard:
        await guard.transaction().start()
        await guard.execute("set local idle_in_transaction_session_timeout = 0")
        key = f"tarsy-timeline-rebuild/{plan.schema}"
        if not await guard.fetchval("select pg_try_advisory_xact_lock(hashtext($1))", key):
            raise RebuildRefusedError(f"another rebuild of {plan.schema} is running")
        yield


async def _refuse_newer_tables(connection: SingleConnection, schema: str) -> None:
    found = await migrations.compare_schema(connection, schema)
    if found.unknown:
        raise RebuildRefusedError(
            f"{schema} has migrations of a newer TARSy ({', '.join(found.unknown)}): rebuild with that version"
        )


async def _begin_schema(target: RebuildTarget) -> tuple[Mapping[int, int], Collection[int]]:
    """The fresh checkpoint stands at the first records that are kept.

    Returns the ends of the log as they are now, and the partitions whose beginning was deleted.
    """
    bus = target.bus
    topic, numbers = bus.topics.sessions, range(bus.layout.log_partitions)
    async with PartitionReader(bus, topic).running() as reader:
        firsts = await reader.firsts(numbers)
    async with target.database().running(note_prepared) as database:
        await ProjectionCheckpoint(database).begin(LogIdentity(await cluster_id(bus), topic), firsts)
    return await ends(bus, topic, list(numbers)), [number for number, first in firsts.items() if first > 0]


async def _replay_log(
    plan: RebuildPlan, goals: Mapping[int, int], trimmed: Collection[int], progress: RebuildProgress
) -> None:
    if plan.processes == 1:
        progress.step("replaying the log")
        await replay_here(plan.target, ReplayShare(goals, frozenset(trimmed)), progress.count)
        return
    progress.step(f"replaying the log in {plan.processes} processes")
    await replay_in_processes(plan.target, shares_of(goals, plan.processes, trimmed), progress.count)


async def _index_words(target: RebuildTarget) -> None:
    """Sessions that change until the switch wait in the queue, as with every timeline."""
    async with target.database().running(note_prepared) as database:
        indexer = SearchIndexer(database)
        while await indexer.index_some():
            pass


async def _catch_up(target: RebuildTarget, progress: RebuildProgress) -> None:
    topic, numbers = target.bus.topics.sessions, range(target.bus.layout.log_partitions)
    goals = await ends(target.bus, topic, list(numbers))
    await replay_here(target, ReplayShare(goals), progress.count)


async def _refuse_missing_sessions(connection: SingleConnection, plan: RebuildPlan, progress: RebuildProgress) -> None:
    """Those that were written meanwhile are on the log: they are looked for again."""
    if not await _has_tables(connection, plan.schema):
        return
    names = {"live": plan.schema, "fresh": plan.target.schema}
    rows = await connection.fetch(REBUILD["missing_sessions"].format(**names))
    if not rows:
        return
    await _catch_up(plan.target, progress)
    missing = [row["session_id"] for row in rows]
    if count := await connection.fetchval(REBUILD["count_missing"].format(**names), missing):
        raise RebuildRefusedError(
            f"{count} sessions stand in {plan.schema} and no longer on the log, so a rebuild would lose them: "
            "--give-up-sessions says that they may go"
        )


async def _switch_schemas(plan: RebuildPlan, connection: SingleConnection, progress: RebuildProgress) -> None:
    await connection.execute(f'drop schema if exists "{plan.retired}" cascade')
    if not await _has_tables(connection, plan.schema):
        await _take_the_name(plan, connection)
        return

    async def catch_up(goals: Mapping[int, int]) -> None:
        await replay_here(plan.target, ReplayShare(goals), progress.count)

    for attempt in range(1, ATTEMPTS_TO_SWITCH + 1):
        await _catch_up(plan.target, progress)
        try:
            await switch(connection, plan.schema, plan.target.schema, plan.retired, catch_up)
        except NOT_YET as problem:
            log.info("rebuild.switch_again", attempt=attempt, reason=repr(problem))
        else:
            return
    raise RebuildRefusedError(
        f"the tables of {plan.schema} were in use at each of {ATTEMPTS_TO_SWITCH} attempts to switch: "
        "look for a long transaction (a dump?), and repeat"
    )


async def _take_the_name(plan: RebuildPlan, connection: SingleConnection) -> None:
    async with connection.transaction():
        await connection.execute(f'drop schema if exists "{plan.schema}"')
        await connection.execute(f'alter schema "{plan.target.schema}" rename to "{plan.schema}"')
        await mend_functions(connection, plan.schema)


async def _has_tables(connection: SingleConnection, schema: str) -> bool:
    return bool(await connection.fetch(REBUILD["tables_of"], schema))
