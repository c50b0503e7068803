"""On a real PostgreSQL: what it refuses costs one record, whatever it is."""

import asyncio
import string
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import asyncpg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from prometheus_client import CollectorRegistry
from pydantic import JsonValue

from tarsy_contracts import events as e
from tarsy_contracts.events.recorded import RecordedEvent
from tarsy_contracts.wire.envelope import Envelope
from tarsy_testing.any_message import SCALARS, values
from tarsy_timeline.database.migrations import migrate
from tarsy_timeline.database.pool import Database
from tarsy_timeline.metrics import Metrics
from tarsy_timeline.projection.checkpoint import LogIdentity, PositionMovedError, ProjectionCheckpoint
from tarsy_timeline.projection.postgres_errors import is_of_the_database, is_of_the_record
from tarsy_timeline.projection.resilient_writer import ResilientWriter

type NewSession = Callable[[], Any]
type Story = Callable[[Any], Any]
type OpenDatabase = Callable[[], AbstractAsyncContextManager[Database]]

LOG = LogIdentity("cluster", "topic")
NOW = datetime(2026, 11, 22, 18, 0, tzinfo=UTC)
UNSTORABLE = "e\x00e"


def writer_of(database: Database, registry: CollectorRegistry | None = None) -> ResilientWriter:
    return ResilientWriter(ProjectionCheckpoint(database), Metrics(registry or CollectorRegistry()), lambda: NOW)


async def rows(database: Database, query: str) -> list[tuple[Any, ...]]:
    async with database.connection() as connection:
        return [tuple(row) for row in await connection.fetch(query)]


def poisoned(session: Any, number: int, event: Any) -> list[RecordedEvent]:
    """The session's events, one of them with another content."""
    records = [session.recorded(one) for one in range(1, len(session.records) + 1)]
    records[number - 1] = replace(records[number - 1], event=event)
    return records


def unstorable(session: Any) -> e.ToolCallRequested:
    event: e.ToolCallRequested = session.recorded(6).event
    return event.model_copy(update={"execution_id": UNSTORABLE})


async def test_a_row_that_postgres_refuses_is_set_aside_and_all_others_are_written(
    open_database: OpenDatabase, new_session: NewSession, story: Story
) -> None:
    odd, other, registry = story(new_session()), story(new_session()), CollectorRegistry()
    records = [*poisoned(odd, 6, unstorable(odd)), *(replace(other.recorded(n), offset=13 + n) for n in range(1, 14))]

    async with open_database() as database:
        await ProjectionCheckpoint(database).begin(LOG, {0: 1})
        await writer_of(database, registry).write(0, 1, 27, records)

        assert await ProjectionCheckpoint(database).position(0) == 27
        ended = {odd.id: odd.known(), other.id: other.known()}
        assert await ProjectionCheckpoint(database).last_events(0, ended.keys()) == ended
        assert await rows(database, "select status from sessions") == [("completed",), ("completed",)]
        assert await rows(
            database, "select partition, log_offset, session_id, number, event_type, failed_at from unprojected"
        ) == [(0, 6, odd.id, 6, "tool_call.requested", NOW)]
        [(reason,)] = await rows(database, "select reason from unprojected")
        assert "CharacterNotInRepertoireError (SQLSTATE 22021)" in reason
        assert UNSTORABLE not in reason
    labels = {"type": "tool_call.requested"}
    assert registry.get_sample_value("tarsy_timeline_unprojected_total", labels) == 1


async def test_what_can_be_written_of_a_refused_record_is_written(
    open_database: OpenDatabase, new_session: NewSession
) -> None:
    """So that a session does not look as if it ran for ever because of a text that nobody can store."""
    session = new_session()
    session.add(e.SessionTimedOut(error="late"), e.StageStarted(stage_id="s", index=1, name="n"))
    odd = replace(session.recorded(2), event=e.StageStarted(stage_id=UNSTORABLE, index=1, name="n"))

    async with open_database() as database:
        await ProjectionCheckpoint(database).begin(LOG, {0: 0})
        await writer_of(database).write(0, 0, 3, [odd])

        assert await rows(database, "select status, last_number from sessions") == [("in_progress", 2)]
        assert await rows(database, "select count(*) from stages") == [(0,)]


async def test_a_record_that_cannot_be_projected_at_all_is_set_aside_too(
    open_database: OpenDatabase, new_session: NewSession, story: Story
) -> None:
    session = story(new_session())
    broken = e.ToolCallCompleted.model_construct(call_id="\ud800", outcome="ok", content="")

    async with open_database() as database:
        await ProjectionCheckpoint(database).begin(LOG, {0: 1})
        await writer_of(database).write(0, 1, 14, poisoned(session, 8, broken))

        assert await ProjectionCheckpoint(database).position(0) == 14
        assert await ProjectionCheckpoint(database).last_events(0, [session.id]) == {session.id: session.known()}
        assert await rows(database, "select number, reason from unprojected") == [(8, "projection: UnicodeEncodeError")]


def newer(record: RecordedEvent, **envelope: Any) -> RecordedEvent:
    """As this version reads it: the chain goes on, and nobody knows what the event says."""
    return replace(record, envelope=replace(record.envelope, **envelope), event=None)


@pytest.mark.parametrize(
    ("envelope", "reason"),
    [
        ({"type": "session.dreamt", "version": 1}, "session.dreamt version 1 is not known to this version of TARSy"),
        ({"version": 9}, "tool_call.requested version 9 is not known to this version of TARSy"),
        ({}, "the body of tool_call.requested version 1 cannot be read"),
    ],
    ids=["a newer type", "a newer version", "an unreadable body"],
)
async def test_an_event_that_this_version_does_not_know_is_named_and_the_session_goes_on(
    open_database: OpenDatabase, new_session: NewSession, story: Story, envelope: Any, reason: str
) -> None:
    session, registry = story(new_session()), CollectorRegistry()
    records = poisoned(session, 6, None)
    records[5] = newer(records[5], **envelope)

    async with open_database() as database:
        await ProjectionCheckpoint(database).begin(LOG, {0: 1})
        await writer_of(database, registry).write(0, 1, 14, records)

        assert await ProjectionCheckpoint(database).last_events(0, [session.id]) == {session.id: session.known()}
        assert await rows(database, "select status from sessions") == [("completed",)]
        found = await rows(database, "select number, log_offset, event_type, reason, failed_at from unprojected")
        assert found == [(6, 6, records[5].envelope.type, reason, NOW)]
    labels = {"type": "other" if "type" in envelope else "tool_call.requested"}
    assert registry.get_sample_value("tarsy_timeline_unprojected_total", labels) == 1


async def test_an_unknown_event_beside_one_that_postgres_refuses_is_named_once(
    open_database: OpenDatabase, new_session: NewSession, story: Story
) -> None:
    session, registry = story(new_session()), CollectorRegistry()
    records = poisoned(session, 6, unstorable(session))
    records[7] = newer(records[7], type=UNSTORABLE)

    async with open_database() as database:
        await ProjectionCheckpoint(database).begin(LOG, {0: 1})
        await writer_of(database, registry).write(0, 1, 14, records)

        assert await rows(database, "select number, event_type from unprojected order by number") == [
            (6, "tool_call.requested"),
            (8, "e\ufffde"),
        ]
    assert registry.get_sample_value("tarsy_timeline_unprojected_total", {"type": "other"}) == 1


async def test_a_session_whose_id_cannot_be_stored_stops_nobody(
    open_database: OpenDatabase, new_session: NewSession, story: Story
) -> None:
    odd, other = story(new_session()), story(new_session())
    envelope = replace(odd.recorded(1).envelope, subject=UNSTORABLE)

    async with open_database() as database:
        await ProjectionCheckpoint(database).begin(LOG, {0: 0})
        await writer_of(database).write(0, 0, 14, [replace(odd.recorded(1), envelope=envelope), other.recorded(13)])

        assert await ProjectionCheckpoint(database).position(0) == 14
        assert await rows(database, "select session_id, log_offset from unprojected") == [("e\ufffde", 1)]


async def test_trouble_of_the_database_sets_nothing_aside(
    open_database: OpenDatabase, new_session: NewSession, story: Story
) -> None:
    session = story(new_session())

    async with open_database() as database:
        await ProjectionCheckpoint(database).begin(LOG, {0: 1})
        async with database.connection() as connection:
            await connection.execute("alter table stages rename to gone")
        with pytest.raises(asyncpg.UndefinedTableError):
            await writer_of(database).write(0, 1, 14, poisoned(session, 6, unstorable(session)))

        assert await ProjectionCheckpoint(database).position(0) < 14
        async with database.connection() as connection:
            await connection.execute("alter table gone rename to stages")
        position = await ProjectionCheckpoint(database).position(0)
        left = [one for one in poisoned(session, 6, unstorable(session)) if one.offset >= position]
        await writer_of(database).write(0, position, 14, left)
        assert await ProjectionCheckpoint(database).position(0) == 14
        assert await ProjectionCheckpoint(database).last_events(0, [session.id]) == {session.id: session.known()}


async def test_a_poisoned_batch_loses_to_another_projector_like_any_other(
    open_database: OpenDatabase, new_session: NewSession, story: Story
) -> None:
    session = story(new_session())

    async with open_database() as database:
        await ProjectionCheckpoint(database).begin(LOG, {0: 5})
        with pytest.raises(PositionMovedError):
            await writer_of(database).write(0, 1, 14, poisoned(session, 6, unstorable(session)))

        assert await rows(database, "select * from unprojected") == []


@pytest.mark.parametrize(
    ("problem", "waits"),
    [
        (asyncpg.ConnectionDoesNotExistError("x"), True),
        (asyncpg.ReadOnlySQLTransactionError("x"), True),
        (asyncpg.DeadlockDetectedError("x"), True),
        (asyncpg.DiskFullError("x"), True),
        (asyncpg.AdminShutdownError("x"), True),
        (asyncpg.InsufficientPrivilegeError("x"), True),
        (ConnectionRefusedError(), True),
        (TimeoutError(), True),
        (asyncpg.NumericValueOutOfRangeError("x"), False),
        (asyncpg.ProgramLimitExceededError("x"), False),
        (asyncpg.UniqueViolationError("x"), False),
        (ValueError("x"), False),
        (KeyError("x"), False),
    ],
)
def test_an_error_is_waited_out_or_costs_its_record(problem: Exception, waits: bool) -> None:
    assert is_of_the_database(problem) is waits
    assert is_of_the_record(problem) is not waits


# Whatever contracts accept --------------------------------------------------------------------------------------

LONG = "".join(chr(33 + (n * n * 7919 + n * 104729) % 90) for n in range(9_000))
"""Longer than a row of an index, and hard to compress."""
texts = st.text(max_size=8) | st.sampled_from(["", "\x00", "a\x00b", "\ufffe", "\U0001f600", LONG, string.printable])
numbers = st.integers() | st.sampled_from([-1, 2**15, 2**31, 2**31 - 1, 2**53, 2**63, 10**20, 10**30])
reals = st.floats() | st.sampled_from([float("inf"), float("-inf"), float("nan"), 1e308, 5e-324])
hostile_json: st.SearchStrategy[JsonValue] = st.recursive(
    st.none() | st.booleans() | numbers | reals | texts,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(texts, inner, max_size=2),
    max_leaves=4,
)
HOSTILE = {**SCALARS, JsonValue: hostile_json, str: texts, int: numbers, float: reals}
envelopes = st.builds(
    Envelope,
    id=texts,
    type=st.sampled_from(sorted(e.EVENTS)),
    version=st.just(1),
    source=texts,
    subject=st.sampled_from(["s1", "s2", "s\x003", LONG]),
    time=st.datetimes(timezones=st.just(UTC)),
    sequence=st.integers(1, 10**18 - 1),
)
events = st.one_of([values(kind, HOSTILE) for kind in e.EVENTS.values()]) | st.none()


@settings(
    max_examples=40,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture, HealthCheck.data_too_large],
)
@given(found=st.lists(st.tuples(envelopes, events), min_size=1, max_size=6))
def test_whatever_contracts_accept_is_projected_or_set_aside(
    found: list[tuple[Envelope, Any]], projection: "Projection"
) -> None:
    records = [
        RecordedEvent(envelope=envelope, event=event, partition=0, offset=projection.position + step, appended_at=NOW)
        for step, (envelope, event) in enumerate(found)
    ]

    projection.write(records)


class Projection:
    """One database for all examples: each goes on where the one before ended."""

    def __init__(self, runner: "asyncio.Runner", database: Database) -> None:
        self._runner = runner
        self._database = database
        self.position = 0

    def write(self, records: list[RecordedEvent]) -> None:
        start, self.position = self.position, self.position + len(records)
        self._runner.run(self._write(start, records))

    async def _write(self, start: int, records: list[RecordedEvent]) -> None:
        await writer_of(self._database).write(0, start, self.position, records)
        assert await ProjectionCheckpoint(self._database).position(0) == self.position
        aside = {offset for (offset,) in await rows(self._database, "select log_offset from unprojected")}
        moved = dict(await rows(self._database, "select session_id, last_event_id from sessions"))
        for record in records:
            last = next(one for one in reversed(records) if one.session_id == record.session_id)
            assert record.offset in aside or moved[record.session_id] == last.envelope.id or last.offset in aside


@pytest.fixture
def projection(database_url: str, database_schema: str) -> Any:
    with asyncio.Runner() as runner:
        database = Database(database_url, database_schema, 3)
        running = database.running(lambda connection: migrate(connection, database_schema))
        runner.run(running.__aenter__())
        try:
            runner.run(ProjectionCheckpoint(database).begin(LOG, {0: 0}))
            yield Projection(runner, database)
        finally:
            runner.run(running.__aexit__(None, None, None))
