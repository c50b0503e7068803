import asyncio
import os
import sys
import uuid
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import asyncpg
import httpx2
import pytest
import pytest_asyncio

sys.path.append(str(Path(__file__).parent))

from played_session import investigation_and_reply

from tarsy_bus.client.connection import Bus
from tarsy_bus.client.publisher import Publisher
from tarsy_bus.log.writer import LogEntry, LogWriter
from tarsy_bus.topics.topics_admin import apply_topics
from tarsy_contracts import events as e
from tarsy_contracts.alert import Alert
from tarsy_contracts.chain import ResolvedAgent, ResolvedChain, ResolvedStage
from tarsy_contracts.conversation import Usage
from tarsy_contracts.events.recorded import RecordedEvent, decode
from tarsy_contracts.messages.chunks import LlmChunk
from tarsy_contracts.wire.envelope import Envelope, event_id
from tarsy_contracts.wire.message import Message
from tarsy_contracts.wire.topics import Topics
from tarsy_processes.ports import free_port
from tarsy_service.http.websocket_frames import frame_text
from tarsy_testing.browser.gateway_running import running_gateway
from tarsy_testing.real_servers import eventually

WAIT_SECONDS = 90.0

BEGIN = datetime(2026, 11, 22, 10, 0, tzinfo=UTC)


@dataclass
class Session:
    """Writes a session as the orchestrator would: each event names the one before it."""

    id: str = field(default_factory=lambda: str(uuid.uuid4()))
    records: list[tuple[Envelope, bytes]] = field(default_factory=list)

    def add(self, *messages: Message) -> "Session":
        for message in messages:
            self.records.append(self._next(message))
        return self

    def _next(self, message: Message) -> tuple[Envelope, bytes]:
        number = len(self.records)
        previous = self.records[-1][0].id if number else None
        time, value = BEGIN + timedelta(seconds=number), message.to_bytes()
        digest = event_id(
            previous=previous, type=message.type, subject=self.id, sequence=number + 1, time=time, value=value
        )
        envelope = Envelope(
            id=digest,
            type=message.type,
            version=message.version,
            source="test",
            subject=self.id,
            time=time,
            sequence=number + 1,
            previous=previous,
            decided=number,
        )
        return envelope, value

    def recorded(self, number: int) -> RecordedEvent:
        envelope, value = self.records[number - 1]
        event = decode(e.EVENTS, envelope, value)
        return RecordedEvent(envelope=envelope, event=event, partition=0, offset=number, appended_at=envelope.time)


@dataclass
class Socket:
    """Writer of the frames of a client, which reads or does not."""

    reads: asyncio.Event = field(default_factory=asyncio.Event)
    frames: list[bytes] = field(default_factory=list)
    written: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def is_writable(self) -> bool:
        return self.reads.is_set()

    async def until_writable(self) -> None:
        await self.reads.wait()

    def write_frames(self, frames: Sequence[bytes]) -> None:
        self.frames += frames
        self.written.set()

    @property
    def texts(self) -> list[str]:
        return [frame_text(frame) for frame in self.frames]


@pytest.fixture
def socket() -> Socket:
    """Of a client that does not read."""
    return Socket()


@pytest.fixture
def new_session() -> Callable[[], Session]:
    return Session


CHAIN = ResolvedChain(
    chain_id="default",
    stages=(
        ResolvedStage(name="look", agents=(ResolvedAgent(name="looker", llm_provider="scripted", max_iterations=3),)),
    ),
    summary_llm_provider="scripted",
)


@pytest.fixture
def story() -> Callable[[], Session]:
    """A whole investigation, in 13 events: one stage, one agent, one call with a summary."""

    def write() -> Session:
        session = Session()
        s = session.id
        execution, llm, call, summary = f"{s}/e", f"{s}/l", f"{s}/c", f"{s}/s"
        usage, agent = Usage(), {"execution_id": execution, "stage_id": f"{s}/st", "agent": "looker", "index": 1}
        return session.add(
            e.SessionStarted(
                input_id="i", alert=Alert(alert_type="crash", data="d", source="api", author="ann"), chain=CHAIN
            ),
            e.StageStarted(stage_id=f"{s}/st", index=1, name="look"),
            e.ExecutionStarted.model_validate({**agent, "system": "", "prompt": "", "tools": ()}),
            e.LlmCallRequested(llm_call_id=llm, execution_id=execution, iteration=0, attempt=0, purpose="iteration"),
            e.LlmCallCompleted(
                llm_call_id=llm, execution_id=execution, thinking="hm", text="I look.", tool_calls=(), usage=usage,
                model="m1", duration_ms=5,
            ),
            e.ToolCallRequested(
                call_id=call, execution_id=execution, llm_call_id=llm, server="k8s", tool="pods", arguments={},
                repeatable=True, timeout_seconds=60,
            ),
            e.ToolCallStarted(call_id=call, claim_id="c1", worker_id="w1"),
            e.ToolCallCompleted(call_id=call, outcome="ok", content="line\n" * 10_000),
            e.SummaryRequested(summary_id=summary, call_id=call, execution_id=execution, timeout_seconds=60),
            e.SummaryCompleted(
                summary_id=summary, call_id=call, content="short", usage=usage, model="m1", duration_ms=7
            ),
            e.ExecutionCompleted.model_validate({**agent, "status": "completed", "final_analysis": "It was DNS."}),
            e.StageCompleted(stage_id=f"{s}/st", index=1, name="look", status="completed"),
            e.SessionCompleted(final_analysis="It was DNS."),
        )  # fmt: skip

    return write


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def system_bus(kafka_bootstrap: str) -> Bus:
    bus = Bus(bootstrap=kafka_bootstrap, topics=Topics(f"t{uuid.uuid4().hex[:10]}"), client="test")
    await apply_topics(bus)
    return bus


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def timeline(system_bus: Bus, database_url: str) -> AsyncIterator[str]:
    """Its address."""
    schema, port = f"t{uuid.uuid4().hex[:10]}", free_port()
    environment = {
        "TARSY_KAFKA": system_bus.bootstrap, "TARSY_TOPIC_PREFIX": system_bus.topics.prefix,
        "TARSY_DATABASE": database_url, "TARSY_DATABASE_SCHEMA": schema, "TARSY_HTTP_PORT": str(port),
    }  # fmt: skip
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tarsy_timeline", env={**os.environ, **environment}
    )
    url = f"http://127.0.0.1:{port}"

    async def ready() -> bool:
        try:
            async with httpx2.AsyncClient(base_url=url) as client:
                return (await client.get("/ready")).status_code == 200
        except httpx2.HTTPError:
            return False

    try:
        await eventually(ready, "the timeline is ready")
        yield url
    finally:
        process.terminate()
        async with asyncio.timeout(WAIT_SECONDS):
            assert await process.wait() == 0
        connection = await asyncpg.connect(database_url)
        await connection.execute(f"drop schema if exists {schema} cascade")
        await connection.close()


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def gateway(system_bus: Bus, timeline: str) -> AsyncIterator[str]:
    async with running_gateway(system_bus, timeline) as url:
        yield url


@pytest.fixture
def append(system_bus: Bus) -> Callable[..., Awaitable[None]]:
    async def write(records: Sequence[tuple[Envelope, bytes]]) -> None:
        batches: defaultdict[int, list[LogEntry]] = defaultdict(list)
        for one, value in records:
            key = one.subject.encode()
            number = system_bus.partition_of(system_bus.topics.sessions, key) or 0
            batches[number].append(LogEntry(key=key, value=value, headers=one.headers()))
        async with LogWriter(system_bus).running() as writer:
            for number, entries in batches.items():
                await writer.append(number, entries)

    return write


@pytest.fixture
def stream(system_bus: Bus) -> Callable[..., Awaitable[None]]:
    async def write(session_id: str, *chunks: LlmChunk) -> None:
        async with Publisher(system_bus, source="test", now=lambda: datetime.now(UTC)).running() as publisher:
            for chunk in chunks:
                topic = publisher.topics.stream
                await publisher.publish(topic, chunk, key=session_id, id=str(uuid.uuid4()), subject=session_id)

    return write


@pytest.fixture(scope="session")
def log() -> Sequence[RecordedEvent]:
    """An investigation and a reply."""
    return investigation_and_reply()
