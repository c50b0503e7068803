"""On a real Kafka and a real PostgreSQL."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import asyncpg
import pytest
from aiokafka import TopicPartition
from opentelemetry.trace import NoOpTracer
from prometheus_client import CollectorRegistry

from tarsy_bus.acceptance import LogMismatchError
from tarsy_bus.background_tasks import background_tasks
from tarsy_bus.client.connection import Bus
from tarsy_bus.log import recent_chains
from tarsy_contracts import events as e
from tarsy_contracts.alert import Alert
from tarsy_contracts.chain import ResolvedChain
from tarsy_contracts.conversation import Usage
from tarsy_testing.real_servers import eventually
from tarsy_testing.servers.bus_kafka import LostLeaders
from tarsy_testing.servers.foreign_batches import write_in_transaction
from tarsy_timeline.database.migrations import migrate
from tarsy_timeline.database.pool import UNREACHABLE, Database
from tarsy_timeline.metrics import Metrics
from tarsy_timeline.projection.checkpoint import LogIdentity, PositionMovedError, ProjectionCheckpoint
from tarsy_timeline.projection.projection import Batch
from tarsy_timeline.projection.projector import (
    GATHER_SECONDS,
    MOST_GATHER_SECONDS,
    Projector,
    gather_seconds,
)

type NewSession = Callable[[], Any]
type Story = Callable[[Any], Any]
type Append = Callable[..., Awaitable[int]]
type OpenDatabase = Callable[[], AbstractAsyncContextManager[Database]]

LOG = LogIdentity("cluster", "topic")
WAIT_SECONDS = 90.0
ALERT = Alert(alert_type="t", data="d", source="api", author="ann")
CHAIN = ResolvedChain(chain_id="default", stages=(), summary_llm_provider="scripted")


@asynccontextmanager
async def projecting(
    bus: Bus, database: Database, registry: CollectorRegistry, consumer_group: str = "timeline"
) -> AsyncIterator[None]:
    checkpoint = ProjectionCheckpoint(database)
    await checkpoint.begin(LOG, dict.fromkeys(range(12), 0))
    ready = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        task = group.create_task(
            Projector(
                bus, checkpoint, Metrics(registry), NoOpTracer(), lambda: datetime.now(UTC), group=consumer_group
            ).run(ready.set)
        )
        async with asyncio.timeout(WAIT_SECONDS):
            await ready.wait()
        yield
        task.cancel()


async def reached(database: Database, session: Any) -> None:
    async def look() -> bool:
        with suppress(*UNREACHABLE):
            return await last_number(database, session) >= len(session.records)
        return False

    await eventually(look, f"session {session.id} is projected")


async def last_number(database: Database, session: Any) -> int:
    async with database.connection() as connection:
        number = await connection.fetchval("select last_number from sessions where session_id = $1", session.id)
    return number or 0


async def timeline(database: Database, session: Any) -> list[tuple[str, str]]:
    async with database.connection() as connection:
        rows = await connection.fetch(
            "select event_type, status from timeline_events where session_id = $1 order by sequence_number", session.id
        )
    return [(row["event_type"], row["status"]) for row in rows]


async def until_counted(count: int, *registries: CollectorRegistry) -> None:
    """So many events are projected, by all of them together. Rows are there a moment before they are counted."""

    async def look() -> bool:
        return sum(map(projected, registries)) == count

    await eventually(look, lambda: f"{count} events are counted: {[projected(one) for one in registries]}")


def projected(registry: CollectorRegistry) -> float:
    samples = [one for metric in registry.collect() for one in metric.samples]
    return sum(one.value for one in samples if one.name == "tarsy_timeline_events_projected_total")


def lag(registry: CollectorRegistry, partition: int) -> tuple[float, float] | None:
    """In records, and in seconds; None of a partition that this projector does not have."""
    labels = {"partition": str(partition)}
    records = registry.get_sample_value("tarsy_timeline_lag_records", labels)
    seconds = registry.get_sample_value("tarsy_timeline_lag_seconds", labels)
    return None if records is None or seconds is None else (records, seconds)


STORY = [
    ("llm_thinking", "completed"),
    ("llm_response", "completed"),
    ("llm_tool_call", "completed"),
    ("mcp_tool_summary", "completed"),
    ("final_analysis", "completed"),
]


async def test_a_partition_without_a_leader_keeps_no_other_from_being_projected(
    log_bus: Bus,
    open_database: OpenDatabase,
    append: Append,
    new_session: NewSession,
    story: Story,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lost, here, there = LostLeaders(monkeypatch), story(new_session()), story(new_session())
    await append(log_bus, 3, here.records)
    await append(log_bus, 5, there.records)
    lost.places.add(TopicPartition(log_bus.topics.sessions, 5))
    async with open_database() as database:
        checkpoint = ProjectionCheckpoint(database)
        await checkpoint.begin(LOG, dict.fromkeys(range(12), 0))
        projector = Projector(
            log_bus, checkpoint, Metrics(CollectorRegistry()), NoOpTracer(), lambda: datetime.now(UTC)
        )
        ready = asyncio.Event()
        async with background_tasks(projector.run(ready.set)):
            await reached(database, here)
            assert not ready.is_set()
            lost.places.clear()
            await reached(database, there)


async def test_behind_the_marker_of_a_transaction_nothing_waits(
    log_bus: Bus, open_database: OpenDatabase, append: Append, new_session: NewSession, story: Story
) -> None:
    """It takes an offset and holds no record: the lag was 1, and grew in seconds, until the next event."""
    session, registry = story(new_session()), CollectorRegistry()
    await append(log_bus, 3, session.records)
    await write_in_transaction(log_bus, log_bus.topics.sessions, partition=3)
    async with open_database() as database, projecting(log_bus, database, registry):

        async def read() -> bool:
            dropped = registry.get_sample_value("tarsy_timeline_records_dropped_total")
            return dropped == 1 and projected(registry) == len(session.records) and lag(registry, 3) == (0, 0)

        await eventually(read, "all is projected, and nothing waits")


async def test_a_session_is_projected_and_zombie_records_are_dropped(
    log_bus: Bus, open_database: OpenDatabase, append: Append, new_session: NewSession, story: Story
) -> None:
    session, registry = story(new_session()), CollectorRegistry()
    zombie = session.next(e.SessionFailed(error="written by an owner that was replaced"), after=4)
    orphan = new_session().add(e.StageStarted(stage_id="x", index=0, name="of no session"))

    await append(
        log_bus, 3, [*session.records[:6], zombie, *session.records[6:], *session.records[2:4], *orphan.records]
    )
    async with open_database() as database, projecting(log_bus, database, registry):
        await reached(database, session)

        assert await timeline(database, session) == STORY
        assert await last_number(database, orphan) == 0
        async with database.connection() as connection:
            row = await connection.fetchrow("select * from sessions where session_id = $1", session.id)
        assert row is not None
        assert (row["status"], row["final_analysis"], row["error_message"]) == ("completed", "It was DNS.", None)

        async def counted() -> bool:
            return projected(registry) == 13 and lag(registry, 3) == (0, 0)

        await eventually(counted, "all is projected, and nothing waits")
        assert registry.get_sample_value("tarsy_timeline_records_dropped_total") == 4
        started = {"type": "session.started"}
        assert registry.get_sample_value("tarsy_timeline_events_projected_total", started) == 1
        assert registry.get_sample_value("tarsy_timeline_projection_duration_seconds_count")
        assert registry.get_sample_value("tarsy_timeline_ledger_conflicts_total") == 0


async def test_a_restart_goes_on_from_the_position_in_the_table(
    log_bus: Bus, open_database: OpenDatabase, append: Append, new_session: NewSession, story: Story
) -> None:
    session, registry = story(new_session()), CollectorRegistry()
    records, session.records = session.records, session.records[:7]
    await append(log_bus, 0, records[:7])
    async with open_database() as database:
        async with projecting(log_bus, database, CollectorRegistry()):
            await reached(database, session)
        session.records = records
        await append(log_bus, 0, records[5:])
        async with projecting(log_bus, database, registry):
            await reached(database, session)
            await until_counted(6, registry)

        assert await timeline(database, session) == STORY
        assert registry.get_sample_value("tarsy_timeline_records_dropped_total") == 2


async def test_two_projectors_share_the_partitions_and_project_each_event_once(
    log_bus: Bus, open_database: OpenDatabase, append: Append, new_session: NewSession, story: Story
) -> None:
    sessions = [story(new_session()) for _ in range(12)]
    first, second = CollectorRegistry(), CollectorRegistry()
    async with open_database() as database, projecting(log_bus, database, first):
        for partition, session in enumerate(sessions):
            await append(log_bus, partition, session.records[:6])
        async with projecting(log_bus, database, second):
            for partition, session in enumerate(sessions):
                await append(log_bus, partition, session.records[6:])
            for session in sessions:
                await reached(database, session)
                assert await timeline(database, session) == STORY

            await until_counted(12 * 13, first, second)
            assert all(projected(one) for one in (first, second))

            async def each_shows_its_own() -> bool:
                shown = [{n for n in range(12) if lag(one, n) is not None} for one in (first, second)]
                return (shown[0] & shown[1], shown[0] | shown[1]) == (set(), set(range(12)))

            await eventually(each_shows_its_own, "each shows its own")


async def test_of_two_that_project_the_same_records_one_is_let_through(
    open_database: OpenDatabase, new_session: NewSession, story: Story
) -> None:
    session = story(new_session())

    async with open_database() as database:
        checkpoint = ProjectionCheckpoint(database)
        await checkpoint.begin(LOG, {0: 0})
        batches = [Batch(), Batch()]
        for batch in batches:
            for number in range(1, 14):
                batch.add(session.recorded(number))
        ended = await asyncio.gather(*(checkpoint.write(0, 0, 13, batch) for batch in batches), return_exceptions=True)

        assert sorted(repr(one) for one in ended)[0] == "None"
        assert sum(isinstance(one, PositionMovedError) for one in ended) == 1
        assert await checkpoint.position(0) == 13
        assert await checkpoint.last_events(0, [session.id, "never\0was"]) == {session.id: session.known()}
        assert await checkpoint.last_events(1, [session.id]) == {}, "of this partition only"
        async with database.connection() as connection:
            calls = await connection.fetchval("select sum(llm_interaction_count) from agent_executions")
        assert calls == 1


async def test_a_projector_that_lost_reads_the_ledger_again_and_goes_on(
    log_bus: Bus, open_database: OpenDatabase, append: Append, new_session: NewSession, story: Story
) -> None:
    session = story(new_session())
    registry = CollectorRegistry()
    async with open_database() as database, projecting(log_bus, database, registry):
        other = Batch()
        for number in range(1, 6):
            other.add(replace(session.recorded(number), offset=number - 1))
        await ProjectionCheckpoint(database).write(0, 0, 5, other)
        await append(log_bus, 0, session.records)
        await reached(database, session)

        assert await timeline(database, session) == STORY
        await until_counted(8, registry)
        assert registry.get_sample_value("tarsy_timeline_ledger_conflicts_total") == 1


async def test_lost_database_connections_are_survived(
    log_bus: Bus,
    open_database: OpenDatabase,
    database_url: str,
    database_schema: str,
    append: Append,
    new_session: NewSession,
    story: Story,
) -> None:
    session = story(new_session())
    whole, session.records = session.records, session.records[:6]
    async with open_database() as database, projecting(log_bus, database, CollectorRegistry()):
        await append(log_bus, 2, whole[:6])
        await reached(database, session)
        other = await asyncpg.connect(database_url)
        ours = f"select pg_terminate_backend(pid) from pg_stat_activity where application_name = '{database.name}'"
        await other.execute(ours)
        await append(log_bus, 2, whole[6:])
        await other.execute(ours)
        session.records = whole
        await reached(database, session)

        rows = await other.fetch(
            f"select event_type, status from {database_schema}.timeline_events order by sequence_number"
        )
        assert [tuple(row) for row in rows] == STORY
        await other.close()


async def test_while_the_tables_cannot_be_written_the_lag_grows(
    log_bus: Bus, open_database: OpenDatabase, append: Append, new_session: NewSession, story: Story
) -> None:
    session, registry = story(new_session()), CollectorRegistry()
    async with open_database() as database, projecting(log_bus, database, registry):
        async with database.connection() as connection, connection.transaction():
            await connection.execute("lock table positions in access exclusive mode")
            await append(log_bus, 5, session.records)

            async def behind() -> bool:
                return (lag(registry, 5) or (0, 0))[0] == 13

            await eventually(behind, "the records are known to wait")
            first = lag(registry, 5)

            async def further() -> bool:
                return (lag(registry, 5) or (0, 0)) > (first or (0, 0))

            await eventually(further, "the lag grows")
        await reached(database, session)

        async def caught_up() -> bool:
            return lag(registry, 5) == (0, 0)

        await eventually(caught_up, "nothing waits any more")


async def test_a_rebuild_into_a_fresh_schema_takes_no_partition_from_the_live_one(
    log_bus: Bus, open_database: OpenDatabase, database_url: str, append: Append, new_session: NewSession, story: Story
) -> None:
    sessions, fresh_schema = [story(new_session()) for _ in range(2)], f"t{uuid.uuid4().hex[:12]}"
    fresh = Database(database_url, fresh_schema, 3)
    async with (
        open_database() as live,
        fresh.running(lambda connection: migrate(connection, fresh_schema)),
        projecting(log_bus, live, CollectorRegistry()),
        projecting(log_bus, fresh, CollectorRegistry(), consumer_group="timeline.fresh"),
    ):
        for partition, session in enumerate(sessions):
            await append(log_bus, partition * 11, session.records)
        for session in sessions:
            await reached(live, session)
            await reached(fresh, session)
        async with fresh.connection() as connection:
            await connection.execute(f"drop schema {fresh_schema} cascade")


async def test_a_record_that_postgres_refuses_stops_nobody(
    log_bus: Bus, open_database: OpenDatabase, append: Append, new_session: NewSession, story: Story
) -> None:
    """With a number that fits no bigint, a text that no column takes, and a type of event that nobody knows here."""
    odd, other, registry = new_session(), story(new_session()), CollectorRegistry()
    odd.add(
        e.SessionStarted(input_id="i", alert=ALERT, chain=CHAIN),
        e.ToolCallRequested(
            call_id="c", execution_id="e\x00", llm_call_id="l", server="s", tool="t", arguments={},
            repeatable=True, timeout_seconds=1,
        ),
        huge_count(),
    )  # fmt: skip
    odd.add_body("session.dreamt", 1, b'{"of": "a newer version"}').add(e.SessionTimedOut(error="late"))
    async with open_database() as database, projecting(log_bus, database, registry):
        await append(log_bus, 3, odd.records)
        await append(log_bus, 3, other.records)
        await reached(database, other)
        await reached(database, odd)

        assert await timeline(database, other) == STORY
        async with database.connection() as connection:
            aside = await connection.fetch(
                "select session_id, number, partition, log_offset from unprojected order by log_offset"
            )
            status = await connection.fetchval("select status from sessions where session_id = $1", odd.id)
        assert [tuple(row) for row in aside] == [(odd.id, 2, 3, 1), (odd.id, 4, 3, 3)]
        assert status == "timed_out"


def huge_count() -> e.LlmCallCompleted:
    """As an older version wrote it: it had no bounds."""
    usage = Usage.model_construct(input_tokens=99999999999999999999)
    return e.LlmCallCompleted.model_construct(
        llm_call_id="l", execution_id="e", thinking="", text="x", tool_calls=(), usage=usage, model="m", duration_ms=1
    )


async def test_another_log_is_refused_with_a_sentence(open_database: OpenDatabase) -> None:
    async with open_database() as database:
        checkpoint = ProjectionCheckpoint(database)
        await checkpoint.begin(LOG, {0: 0})

        with pytest.raises(
            LogMismatchError, match=r"projected from topic topic of cluster cluster, but this is topic other"
        ):
            await checkpoint.begin(LogIdentity("cluster", "other"), {0: 0})


async def test_a_log_that_was_emptied_is_refused_with_a_sentence(log_bus: Bus, open_database: OpenDatabase) -> None:
    async with open_database() as database:
        checkpoint = ProjectionCheckpoint(database)
        await checkpoint.begin(LOG, {4: 7})
        with pytest.raises(ExceptionGroup) as found:
            async with projecting(log_bus, database, CollectorRegistry()):
                pass

    [problem] = found.value.exceptions
    assert isinstance(problem, LogMismatchError)
    assert "partition 4 holds offsets 0 to 0, but reading should go on at 7" in str(problem)


async def test_a_log_that_was_restored_from_an_older_copy_and_went_on_is_refused_with_a_sentence(
    log_bus: Bus, open_database: OpenDatabase, append: Append, new_session: NewSession, story: Story
) -> None:
    """Its offsets reach beyond those that were read, but other events lie there."""
    lost, others = story(new_session()), [story(new_session()) for _ in range(2)]
    for other in others:
        await append(log_bus, 4, other.records)
    batch = Batch()
    for number in range(1, 14):
        batch.add(lost.recorded(number))
    async with open_database() as database:
        checkpoint = ProjectionCheckpoint(database)
        await checkpoint.begin(LOG, {4: 0})
        await checkpoint.write(4, 0, 14, batch)
        with pytest.raises(ExceptionGroup) as found:
            async with projecting(log_bus, database, CollectorRegistry()):
                pass

    [problem] = found.value.exceptions
    assert isinstance(problem, LogMismatchError)
    assert "partition 4 has another event at offset 13 than the one that these tables were projected from" in str(
        problem
    )


async def test_sessions_that_did_not_come_lately_are_looked_up_in_the_ledger(
    log_bus: Bus,
    open_database: OpenDatabase,
    append: Append,
    new_session: NewSession,
    story: Story,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Every session ever was held before, and read at each start."""
    monkeypatch.setattr(recent_chains.RecentChains.__init__, "__defaults__", (1,))
    sessions, registry = [story(new_session()) for _ in range(4)], CollectorRegistry()
    zombie = sessions[0].next(e.SessionFailed(error="written by an owner that was replaced"), after=4)
    async with open_database() as database, projecting(log_bus, database, registry):
        for part in (slice(0, 6), slice(6, 13)):
            for session in sessions:
                await append(log_bus, 0, [*session.records[part], zombie, sessions[0].records[0]])

            await until_counted(4 * part.stop, registry)

        async def all_are_dropped() -> bool:
            return registry.get_sample_value("tarsy_timeline_records_dropped_total") == 4 * 2 * 2

        await eventually(all_are_dropped, "what no session continues is dropped")
        for session in sessions:
            assert await timeline(database, session) == STORY
            assert await last_number(database, session) == 13


def test_records_gather_the_longer_the_longer_a_step_takes_within_bounds() -> None:
    assert [gather_seconds(step) for step in (0.0, 0.001, 0.1, 60.0)] == [
        GATHER_SECONDS, GATHER_SECONDS, 0.2, MOST_GATHER_SECONDS
    ]  # fmt: skip
