import asyncio
import sys
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx2
import pytest
import pytest_asyncio
from aiokafka.admin import AIOKafkaAdminClient, NewTopic
from prometheus_client import CollectorRegistry

sys.path.append(str(Path(__file__).parent))

from projected_world import World

from tarsy_bus.acceptance import LastAccepted
from tarsy_bus.background_tasks import background_tasks
from tarsy_bus.client.connection import Bus
from tarsy_bus.log.writer import LogEntry, LogWriter
from tarsy_bus.topics.topics_admin import admin, apply_topics
from tarsy_contracts import events as e
from tarsy_contracts.alert import Alert
from tarsy_contracts.chain import ResolvedAgent, ResolvedChain, ResolvedStage
from tarsy_contracts.conversation import Usage
from tarsy_contracts.events.recorded import RecordedEvent, decode
from tarsy_contracts.wire.envelope import Envelope, event_id
from tarsy_contracts.wire.message import Message
from tarsy_contracts.wire.topics import LOG_PARTITIONS, Topics
from tarsy_service.process.runner import Readiness, build_app
from tarsy_testing.real_servers import drop_schema, eventually
from tarsy_timeline.api.requests.session_commands import SessionCommands
from tarsy_timeline.app import build
from tarsy_timeline.database.migrations import migrate
from tarsy_timeline.database.pool import Database
from tarsy_timeline.queries.session_queries import SessionQueries
from tarsy_timeline.settings import TimelineSettings

BEGIN = datetime(2026, 11, 22, 10, 0, tzinfo=UTC)
WAIT_SECONDS = 90.0

type NewSession = Callable[[], "Session"]
type Story = Callable[["Session"], "Session"]
type Append = Callable[..., Awaitable[int]]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def system_bus(kafka_bootstrap: str) -> Bus:
    """All topics, for the tests of a module: making them takes seconds."""
    bus = _own_bus(kafka_bootstrap)
    await apply_topics(bus)
    return bus


@pytest.fixture
async def log_bus(kafka_bootstrap: str) -> Bus:
    """A session log of this test's own, and no other topic."""
    bus = _own_bus(kafka_bootstrap)
    async with admin(bus) as client:
        await client.create_topics([NewTopic(bus.topics.sessions, LOG_PARTITIONS, 1)])
        await eventually(lambda: _listed(client, bus), "the topic is listed")
    return bus


async def _listed(client: AIOKafkaAdminClient, bus: Bus) -> bool:
    return bus.topics.sessions in await client.list_topics()


def _own_bus(bootstrap: str) -> Bus:
    return Bus(
        bootstrap=bootstrap,
        topics=Topics(f"t{uuid.uuid4().hex[:12]}"),
        client="test",
        session_timeout_ms=3_000,
        heartbeat_ms=500,
    )


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def module_schema(database_url: str) -> AsyncIterator[str]:
    async with _own_schema(database_url) as name:
        yield name


@asynccontextmanager
async def _own_schema(database_url: str) -> AsyncIterator[str]:
    """A schema that is not made yet."""
    name = f"t{uuid.uuid4().hex[:12]}"
    yield name
    await drop_schema(database_url, name)


@dataclass
class Session:
    """Writes a session as the orchestrator would: each event names the one before it."""

    id: str = field(default_factory=lambda: str(uuid.uuid4()))
    records: list[tuple[Envelope, bytes]] = field(default_factory=list)
    begin: datetime = BEGIN

    def add(self, *messages: Message) -> "Session":
        for message in messages:
            self.records.append(self.next(message))
        return self

    def next(self, message: Message, *, after: int | None = None) -> tuple[Envelope, bytes]:
        """The record of `message` after the event number `after`, or after the last."""
        number = len(self.records) if after is None else after
        return self._record(message.type, message.version, message.to_bytes(), number)

    def add_body(self, type: str, version: int, value: bytes) -> "Session":
        """An event as a writer of that version wrote it."""
        self.records.append(self._record(type, version, value, len(self.records)))
        return self

    def _record(self, type: str, version: int, value: bytes, number: int) -> tuple[Envelope, bytes]:
        previous = self.records[number - 1][0].id if number else None
        time = self.begin + timedelta(seconds=number)
        digest = event_id(previous=previous, type=type, subject=self.id, sequence=number + 1, time=time, value=value)
        envelope = Envelope(
            id=digest,
            type=type,
            version=version,
            source="test",
            subject=self.id,
            time=time,
            sequence=number + 1,
            previous=previous,
            decided=number,
        )
        return envelope, value

    def known(self) -> LastAccepted:
        return LastAccepted(self.records[-1][0].id, len(self.records))

    def recorded(self, number: int) -> RecordedEvent:
        envelope, value = self.records[number - 1]
        event = decode(e.EVENTS, envelope, value)
        return RecordedEvent(envelope=envelope, event=event, partition=0, offset=number, appended_at=envelope.time)


@pytest.fixture(scope="session")
def new_session() -> Callable[[], Session]:
    return Session


ALERT = Alert(
    alert_type="pod-crash", data="pod api-7 crashes 50% of the time", source="api", author="ann", title="Crash"
)
CHAIN = ResolvedChain(
    chain_id="default",
    stages=(
        ResolvedStage(name="look", agents=(ResolvedAgent(name="looker", llm_provider="scripted", max_iterations=3),)),
    ),
    summary_llm_provider="scripted",
    scripted=True,
)


@pytest.fixture
def story() -> Callable[[Session], Session]:
    """A whole investigation, in 13 events: one stage, one agent, one call with a summary."""

    def write(session: Session) -> Session:
        s = session.id
        execution, llm, call, summary = f"{s}/e", f"{s}/l", f"{s}/c", f"{s}/s"
        usage = Usage(input_tokens=100, output_tokens=20)
        return session.add(
            e.SessionStarted(input_id="i", alert=ALERT.model_copy(update={"title": f"Crash {s}"}), chain=CHAIN),
            e.StageStarted(stage_id=f"{s}/st", index=1, name="look"),
            e.ExecutionStarted(
                execution_id=execution, stage_id=f"{s}/st", agent="looker", index=1, system="", prompt="", tools=()
            ),
            e.LlmCallRequested(llm_call_id=llm, execution_id=execution, iteration=0, attempt=0, purpose="iteration"),
            e.LlmCallCompleted(
                llm_call_id=llm,
                execution_id=execution,
                thinking="hm",
                text="I look.",
                tool_calls=(),
                usage=usage,
                model="m1",
                duration_ms=5,
            ),
            e.ToolCallRequested(
                call_id=call,
                execution_id=execution,
                llm_call_id=llm,
                server="k8s",
                tool="pods",
                arguments={"ns": "a\x00b"},
                repeatable=True,
                timeout_seconds=60,
            ),
            e.ToolCallStarted(call_id=call, claim_id="c1", worker_id="w1"),
            e.ToolCallCompleted(
                call_id=call, outcome="ok", content="NUL\x00\n" + "line\n" * 10_000, size=50_005, lines=10_001
            ),
            e.SummaryRequested(summary_id=summary, call_id=call, execution_id=execution, timeout_seconds=60),
            e.SummaryCompleted(
                summary_id=summary, call_id=call, content="short", usage=usage, model="m1", duration_ms=7
            ),
            e.ExecutionCompleted(
                execution_id=execution,
                stage_id=f"{s}/st",
                agent="looker",
                index=1,
                status="completed",
                final_analysis="It was DNS.",
            ),
            e.StageCompleted(stage_id=f"{s}/st", index=1, name="look", status="completed"),
            e.SessionCompleted(final_analysis="It was DNS."),
        )

    return write


@pytest.fixture(scope="session")
def running_api(database_url: str) -> Callable[..., AbstractAsyncContextManager[httpx2.AsyncClient]]:
    """The service as it is put together, and a client of its API."""

    @asynccontextmanager
    async def run(bus: Bus, schema: str, **settings: object) -> AsyncIterator[httpx2.AsyncClient]:
        kafka = {"kafka": bus.bootstrap, "topic_prefix": bus.topics.prefix}
        tables = {"database": database_url, "database_schema": schema}
        registry = CollectorRegistry()
        service = build(TimelineSettings.model_validate({**kafka, **tables, **settings}), registry)
        readiness = Readiness([service.name])
        transport = httpx2.ASGITransport(build_app([service], readiness, registry))

        async def running() -> None:
            await service.run(lambda: readiness.ready(service.name))

        client = httpx2.AsyncClient(transport=transport, base_url="http://localhost")
        async with client, background_tasks(running()):
            async with asyncio.timeout(60):
                await readiness.all.wait()
            yield client

    return run


@pytest.fixture(scope="session")
def append() -> Callable[..., Awaitable[int]]:
    """Writes records to a partition of the log."""

    async def write(bus: Bus, partition: int, records: Sequence[tuple[Envelope, bytes]]) -> int:
        entries = [LogEntry(key=one.subject.encode(), value=value, headers=one.headers()) for one, value in records]
        async with LogWriter(bus).running() as writer:
            return await writer.append(partition, entries)

    return write


@pytest.fixture
def open_database(database_url: str, database_schema: str) -> Callable[[], AbstractAsyncContextManager[Database]]:
    @asynccontextmanager
    async def open_() -> AsyncIterator[Database]:
        async with Database(database_url, database_schema, 5).running(
            lambda connection: migrate(connection, database_schema)
        ) as database:
            yield database

    return open_


@pytest.fixture
async def world(open_database: Callable[[], AbstractAsyncContextManager[Database]]) -> AsyncIterator[World]:
    async with open_database() as database:
        world = World(database)
        yield world
        await world.client.aclose()


@pytest.fixture(scope="module")
def ingest_url() -> str:
    """Nothing listens there: a module that needs an ingest has one of its own."""
    return "http://127.0.0.1:9"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def client(
    system_bus: Bus, database_url: str, module_schema: str, ingest_url: str
) -> AsyncIterator[httpx2.AsyncClient]:
    """Client of the whole service. People's requests wait for the owner's answer as long as a busy machine needs."""
    settings = TimelineSettings.model_validate(
        {
            "kafka": system_bus.bootstrap,
            "topic_prefix": system_bus.topics.prefix,
            "database": database_url,
            "database_schema": module_schema,
            "wait_seconds": WAIT_SECONDS,
            "ingest_url": ingest_url,
        }
    )
    registry = CollectorRegistry()
    service = build(settings, registry)
    readiness = Readiness([service.name])
    transport = httpx2.ASGITransport(build_app([service], readiness, registry))
    async with (
        asyncio.TaskGroup() as group,
        httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client,
    ):
        running: asyncio.Task[None] = group.create_task(service.run(lambda: readiness.ready(service.name)))  # type: ignore[arg-type]
        async with asyncio.timeout(WAIT_SECONDS):
            await readiness.all.wait()
        yield client
        running.cancel()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests of this test wait half a second for an answer or for the projection: neither comes."""
    for waiting in (SessionCommands, SessionQueries):
        monkeypatch.setattr(waiting, "_wait_seconds", property(lambda _: 0.5), raising=False)


@pytest_asyncio.fixture(loop_scope="module")
async def session(
    system_bus: Bus, append: Append, client: httpx2.AsyncClient, new_session: NewSession, story: Story
) -> Session:
    """A whole session, projected."""
    session = story(new_session())
    await append(system_bus, 1, session.records)
    async with asyncio.timeout(WAIT_SECONDS):
        while (await client.get(f"/api/v1/sessions/{session.id}/timeline?at_least=13")).status_code != 200:
            pass
    return session
