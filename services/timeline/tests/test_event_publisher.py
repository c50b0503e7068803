"""The public topic, on a real Kafka and a real PostgreSQL: what was accepted, in order, each at least once."""

import asyncio
import json
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx2
import pytest
from aiokafka.admin import NewTopic
from opentelemetry.trace import NoOpTracer
from prometheus_client import CollectorRegistry

from tarsy_bus.client.connection import Bus
from tarsy_bus.log.writer import BATCH_BYTES, AppendUncertainError, LogEntry, LogWriter
from tarsy_bus.readers.partition_reader import Record, read_to_end
from tarsy_bus.topics.topics_admin import admin, apply_topics
from tarsy_contracts import events as e
from tarsy_contracts.public.duplicates import LastSequences
from tarsy_contracts.public.envelope import PublicEnvelope
from tarsy_contracts.public.mapping import NOT_PUBLIC, public_event
from tarsy_contracts.public.model import PublicEvent
from tarsy_contracts.wire.topics import LOG_PARTITIONS, Topics
from tarsy_testing.real_servers import delete_topics, eventually
from tarsy_testing.servers.bus_kafka import read_all
from tarsy_timeline.database.pool import Database
from tarsy_timeline.metrics import Metrics
from tarsy_timeline.projection import event_publisher
from tarsy_timeline.projection.checkpoint import LogIdentity, ProjectionCheckpoint
from tarsy_timeline.projection.event_publisher import EventPublisher
from tarsy_timeline.projection.projector import Projector

type NewSession = Callable[[], Any]
type Story = Callable[[Any], Any]
type Append = Callable[..., Awaitable[int]]
type OpenDatabase = Callable[[], AbstractAsyncContextManager[Database]]

LOG = LogIdentity("cluster", "topic")
WAIT_SECONDS = 90.0
PARTITION = 3


@pytest.fixture
async def events_bus(log_bus: Bus) -> Bus:
    """A session log and a public topic of this test's own."""
    async with admin(log_bus) as client:
        await client.create_topics([NewTopic(log_bus.topics.events, LOG_PARTITIONS, 1)])

        async def listed() -> bool:
            return log_bus.topics.events in await client.list_topics()

        await eventually(listed, "the topic is listed")
    return log_bus


class BrokenCheckpoint(ProjectionCheckpoint):
    """A process that is killed after it published: its transaction never comes about."""

    async def write(self, *arguments: Any) -> None:
        raise KilledError


class KilledError(BaseException):
    """Stands for the death of the process."""


@dataclass
class World:
    bus: Bus
    open_database: OpenDatabase

    @asynccontextmanager
    async def projecting(
        self,
        checkpoint: type[ProjectionCheckpoint] = ProjectionCheckpoint,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        notes: list[str] | None = None,
        registry: CollectorRegistry | None = None,
    ) -> AsyncIterator[tuple[Database, "asyncio.Task[None]"]]:
        """One life of a projector that publishes."""
        metrics, ready = Metrics(registry or CollectorRegistry()), asyncio.Event()
        publisher = EventPublisher(self.bus, metrics, now)
        async with self.open_database() as database, publisher.running():
            kept = checkpoint(database)
            await kept.begin(LOG, dict.fromkeys(range(LOG_PARTITIONS), 0))
            note = (lambda _: None) if notes is None else notes.append
            projector = Projector(self.bus, kept, metrics, NoOpTracer(), now, note, publisher=publisher)
            task = asyncio.create_task(projector.run(ready.set))
            try:
                async with asyncio.timeout(WAIT_SECONDS):
                    await asyncio.wait([task, asyncio.create_task(ready.wait())], return_when=asyncio.FIRST_COMPLETED)
                yield database, task
            finally:
                task.cancel()
                await asyncio.wait([task])

    async def published(self) -> list[Record]:
        """All that lies in the public topic."""
        found: list[Record] = []
        await read_to_end(self.bus, self.bus.topics.events, dict.fromkeys(range(LOG_PARTITIONS), 0), found.append)
        return found

    async def until(self, session: Any) -> None:
        """The last public event of the session is there."""
        last = public_numbers(session)[-1]

        async def there() -> bool:
            return (session.id, last) in [place(record) for record in await self.published()]

        await eventually(there, "the session is published")


@pytest.fixture
def world(events_bus: Bus, open_database: OpenDatabase) -> World:
    return World(events_bus, open_database)


def place(record: Record) -> tuple[str, int]:
    envelope = PublicEnvelope.from_headers(record.headers)
    return envelope.subject, envelope.sequence


def public_numbers(session: Any) -> list[int]:
    return [envelope.sequence for envelope, _ in session.records if envelope.type not in NOT_PUBLIC]


def seen(records: Sequence[Record]) -> list[tuple[str, int]]:
    """As a consumer sees them that drops what it had."""
    last = LastSequences()
    return [one for one in map(place, records) if last.take(*one)]


def expected(session: Any) -> list[tuple[str, int]]:
    return [(session.id, number) for number in public_numbers(session)]


async def projected(database: Database, session: Any) -> None:
    async def look() -> bool:
        async with database.connection() as connection:
            number = await connection.fetchval("select last_number from sessions where session_id = $1", session.id)
        return (number or 0) >= len(session.records)

    await eventually(look, "the session is projected")


async def test_each_accepted_event_is_published_once_in_order_in_the_partition_of_the_log(
    world: World, append: Append, new_session: NewSession, story: Story
) -> None:
    session, registry = story(new_session()), CollectorRegistry()
    zombie = session.next(e.SessionFailed(error="written by an owner that was replaced"), after=4)
    await append(world.bus, PARTITION, [*session.records[:6], zombie, *session.records[6:], *session.records[2:4]])
    async with world.projecting(registry=registry) as (database, _):
        await projected(database, session)

    records = await world.published()
    assert [place(record) for record in records] == expected(session)
    assert {record.partition for record in records} == {PARTITION}
    assert {record.key for record in records} == {session.id.encode()}
    first, headers = session.records[0][0], dict(records[0].headers)
    assert headers["ce_id"].decode() == first.id
    assert headers["ce_type"] == b"tarsy.session.started"
    assert headers["ce_source"].decode() == world.bus.topics.events
    assert headers["ce_dataschema"] == b"urn:tarsy:public:tarsy.session.started:1"
    assert json.loads(records[0].value or b"")["chain"] == "default"
    started = {"type": "session.started"}
    assert registry.get_sample_value("tarsy_timeline_events_published_total", started) == 1
    assert registry.get_sample_value("tarsy_timeline_event_delay_seconds_count")


async def test_a_projector_that_is_killed_between_publishing_and_its_transaction_doubles_and_loses_nothing(
    world: World, append: Append, new_session: NewSession, story: Story
) -> None:
    session = story(new_session())
    await append(world.bus, PARTITION, session.records[:5])
    async with world.projecting(BrokenCheckpoint) as (_, task):
        await asyncio.wait([task], timeout=WAIT_SECONDS)
        assert isinstance(task.exception(), KilledError)
    assert seen(await world.published()) == expected(session)[: len(await world.published())]
    before = len(await world.published())

    await append(world.bus, PARTITION, session.records[5:])
    async with world.projecting() as (database, _):
        await projected(database, session)

    records = await world.published()
    assert before > 0
    assert seen(records) == expected(session)


async def test_lost_tables_publish_nothing_twice(
    world: World, append: Append, new_session: NewSession, story: Story
) -> None:
    first, second = story(new_session()), story(new_session())
    await append(world.bus, PARTITION, first.records)
    async with world.projecting() as (database, _):
        await projected(database, first)
        async with database.connection() as connection:
            await connection.execute("truncate positions, sessions cascade")

    await append(world.bus, PARTITION, second.records)
    async with world.projecting() as (database, _):
        await projected(database, first)
        await projected(database, second)

    assert [place(record) for record in await world.published()] == [*expected(first), *expected(second)]


async def test_lost_tables_publish_nothing_that_the_topic_no_longer_keeps(
    world: World, append: Append, new_session: NewSession, story: Story
) -> None:
    old = story(new_session())
    await append(world.bus, PARTITION, old.records)

    def a_month_later() -> datetime:
        return datetime.now(UTC) + timedelta(days=30)

    async with world.projecting(now=a_month_later) as (database, _):
        await projected(database, old)

    assert await world.published() == []


async def test_records_of_a_stranger_and_of_a_replaced_projector_do_not_hide_what_was_published(
    world: World, append: Append, new_session: NewSession, story: Story
) -> None:
    first, second = story(new_session()), story(new_session())
    await append(world.bus, PARTITION, first.records)
    async with world.projecting() as (database, _):
        await projected(database, first)
        async with database.connection() as connection:
            await connection.execute("truncate positions, sessions cascade")
    late = (await world.published())[1]
    async with LogWriter(world.bus, world.bus.topics.events).running() as writer:
        repeated = LogEntry(late.key or b"", late.value or b"", [*late.headers])
        await writer.append(PARTITION, [repeated, LogEntry(b"x", b"not ours", [])])

    await append(world.bus, PARTITION, second.records)
    async with world.projecting() as (database, _):
        await projected(database, second)

    records = [record for record in await world.published() if record.value != b"not ours"]
    assert len(records) == len(expected(first)) + 1 + len(expected(second))
    assert seen(records) == [*expected(first), *expected(second)]


async def test_events_of_another_log_do_not_stop_those_of_this_one(
    world: World, append: Append, new_session: NewSession, story: Story
) -> None:
    """The log was restored from a copy of before: what lies in the public topic is ahead of it."""
    gone, session = story(new_session()), story(new_session())
    headers = [("tarsy_offset", b"5000") if name == "tarsy_offset" else (name, value)
               for name, value in _headers_of(gone)]  # fmt: skip
    async with LogWriter(world.bus, world.bus.topics.events).running() as writer:
        await writer.append(PARTITION, [LogEntry(gone.id.encode(), b"{}", headers)])
    await append(world.bus, PARTITION, session.records)
    async with world.projecting() as (database, _):
        await projected(database, session)

    assert [place(record) for record in await world.published()][1:] == expected(session)


def _headers_of(session: Any) -> list[tuple[str, bytes]]:
    envelope = session.records[0][0]
    return PublicEnvelope(
        id=envelope.id, type="tarsy.session.started", source="tarsy.events", subject=session.id,
        time="2026-11-22T10:00:00.000Z", dataschema="urn:tarsy:public:tarsy.session.started:1", sequence=1,
        log_offset=0,
    ).headers()  # fmt: skip


async def test_an_event_that_cannot_be_mapped_costs_itself_alone(
    world: World, append: Append, new_session: NewSession, story: Story, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, registry = story(new_session()), CollectorRegistry()

    def mistaken(event: e.Event) -> PublicEvent | None:
        if isinstance(event, e.ToolCallStarted):
            raise KeyError("a mistake of ours")
        return public_event(event)

    monkeypatch.setattr(event_publisher, "public_event", mistaken)
    await append(world.bus, PARTITION, session.records)
    async with world.projecting(registry=registry) as (database, _):
        await projected(database, session)

    (lost,) = [envelope.sequence for envelope, _ in session.records if envelope.type == e.ToolCallStarted.type]
    assert seen(await world.published()) == [one for one in expected(session) if one[1] != lost]
    failed = {"type": "tool_call.started"}
    assert registry.get_sample_value("tarsy_timeline_events_unpublished_total", failed) == 1


async def test_events_of_a_type_that_this_release_does_not_know_are_not_published(
    world: World, append: Append, new_session: NewSession, story: Story
) -> None:
    session = (
        story(new_session())
        .add_body("session.of_tomorrow", 1, b"{}")
        .add(e.SessionDeleted(request_id="r", author="ann"))
    )
    await append(world.bus, PARTITION, session.records)
    async with world.projecting():
        await world.until(session)

    numbers = [number for _, number in seen(await world.published())]
    assert len(session.records) - 1 not in numbers
    assert len(session.records) in numbers


async def test_a_projector_that_cannot_write_the_topic_waits_says_so_and_loses_nothing(
    world: World, append: Append, new_session: NewSession, story: Story, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, notes = story(new_session()), list[str]()
    refusing = True

    class Refused(LogWriter):
        async def append(self, partition: int, entries: Sequence[LogEntry]) -> int:
            if refusing:
                raise AppendUncertainError("no answer")
            return await super().append(partition, entries)

    monkeypatch.setattr(event_publisher, "LogWriter", Refused)
    async with world.projecting(notes=notes) as (database, _):
        await append(world.bus, PARTITION, session.records)

        async def said() -> bool:
            return any(note == f"{world.bus.topics.events} cannot be written: no answer" for note in notes)

        await eventually(said, "the projector says that it waits")
        async with database.connection() as connection:
            assert await connection.fetchval("select count(*) from sessions") == 0
        refusing = False
        await projected(database, session)

        async def goes_on() -> bool:
            return notes[-1] == ""

        await eventually(goes_on, "the projector says that it goes on")

    assert [place(record) for record in await world.published()] == expected(session)


def test_what_is_above_a_batch_is_written_in_several_in_order() -> None:
    entries = [LogEntry(b"s", bytes(1_000_000), [("number", str(number).encode())]) for number in range(9)]
    found = list(event_publisher.batches(entries))
    assert [entry for batch in found for entry in batch] == entries
    assert len(found) == 3
    assert all(sum(entry.size for entry in batch) <= BATCH_BYTES for batch in found)


async def test_a_service_that_is_told_so_publishes_nothing(
    kafka_bootstrap: str,
    database_schema: str,
    append: Append,
    new_session: NewSession,
    story: Story,
    running_api: Callable[..., AbstractAsyncContextManager[httpx2.AsyncClient]],
) -> None:
    bus = Bus(kafka_bootstrap, Topics(f"t{uuid.uuid4().hex[:12]}"), client="test")
    await apply_topics(bus)
    session = story(new_session())
    async with running_api(bus, database_schema, publish_events="off") as client:
        await append(bus, PARTITION, session.records)
        place = f"/api/v1/sessions/{session.id}/timeline?at_least={len(session.records)}"

        async def shown() -> bool:
            return (await client.get(place)).status_code == 200

        await eventually(shown, "the session is projected")
    assert await read_all(bus, bus.topics.events) == []
    await delete_topics(bus)
