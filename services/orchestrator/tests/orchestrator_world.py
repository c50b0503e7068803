"""The world around the owners: the test plays ingest, people, tool gateway and catalog, and looks at every topic."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from uuid import uuid4

from aiokafka.partitioner import DefaultPartitioner
from aiokafka.structs import RecordMetadata
from orchestrator_running import RunningOwner

from tarsy_bus.client.connection import Bus
from tarsy_bus.client.publisher import Publisher
from tarsy_bus.readers.partition_reader import Record, read_to_end
from tarsy_bus.readers.records import parse_record
from tarsy_bus.topics.topics_admin import admin
from tarsy_config.config import Config
from tarsy_contracts.conversation import Usage
from tarsy_contracts.events import OfferedTool
from tarsy_contracts.events.heads import SessionHead
from tarsy_contracts.events.recorded import RecordedEvent
from tarsy_contracts.messages import inputs as i
from tarsy_contracts.messages.chunks import LlmChunk
from tarsy_contracts.messages.control import CONTROLS, Control
from tarsy_contracts.messages.requests import ToolCallRequest
from tarsy_contracts.messages.workers import CatalogTool, ServerCatalogued
from tarsy_contracts.wire.envelope import Envelope, event_id
from tarsy_contracts.wire.ids import derive_id, session_beside
from tarsy_contracts.wire.message import Message
from tarsy_llm.protocol import Answer, AskedTool
from tarsy_testing.real_servers import FEW_PARTITIONS, eventually
from tarsy_testing.story.log import check_one_chain, read_log
from tarsy_testing.story.story import ALERT, DELETE, READ
from tarsy_verification.session_log import SessionLog

LOG_PARTITIONS = FEW_PARTITIONS.log
WORKER = "worker-1"
SERVER = "kubernetes"


USAGE = Usage(input_tokens=7, output_tokens=3, thinking_tokens=2, cached_input_tokens=4, cache_written_tokens=1)


def words(text: str) -> Answer:
    return Answer(thinking="", text=text, tool_calls=(), usage=USAGE, model="fake")


def calling(*tools: OfferedTool) -> Answer:
    asked = tuple(AskedTool(name=tool.definition.name, arguments={"namespace": "shop"}) for tool in tools)
    return Answer(thinking="", text="looking", tool_calls=asked, usage=USAGE, model="fake")


def config(*, tool_call_seconds: float = 60.0, sessions_at_once: int = 100, session_seconds: float = 2400.0) -> Config:
    agent = {"name": "A", "llm_provider": "scripted"}
    return Config.model_validate(
        {
            "agents": {"A": {"mcp_servers": [SERVER]}},
            "agent_chains": {"c": {"alert_types": [SERVER], "stages": [{"name": "look", "agents": [agent]}]}},
            "mcp_servers": {SERVER: {"transport": {"type": "stdio", "command": "none"}, "allow": "all"}},
            "llm_providers": {"scripted": {"type": "scripted", "script": "none.yaml"}},
            "limits": {"tool_call": tool_call_seconds},
            "defaults": {"alert_type": SERVER},
            "queue": {"max_concurrent_sessions": sessions_at_once, "session_timeout": session_seconds},
        }
    )


@dataclass
class World:
    """`turns` are the model's answers by iteration; the last one is given from then on."""

    bus: Bus
    publisher: Publisher
    config: Config = field(default_factory=config)
    turns: list[Answer] = field(default_factory=lambda: [words("the cause is X")])
    owners: list[RunningOwner] = field(default_factory=list)

    # Owners

    async def owner(self, name: str = "first") -> RunningOwner:
        """One more, which owns what the group assigns to it, and knows a living gateway."""
        return await self.beginning(name).until_ready()

    def beginning(self, name: str) -> RunningOwner:
        owner = RunningOwner(self.bus, self.config, self.turns, name)
        self.owners.append(owner)
        owner.hears(name)
        owner.hears(WORKER)
        return owner

    # What the others say

    async def catalogue(self) -> None:
        """A gateway offers a tool that only reads, and one that does not."""
        tools = tuple(
            CatalogTool(tool=tool.tool, description="", input_schema={}, repeatable=tool.repeatable)
            for tool in (READ, DELETE)
        )
        seen = ServerCatalogued(server=SERVER, worker_id=WORKER, healthy=True, error="", tools=tools)
        await self.publisher.publish(self.bus.topics.catalog, seen, key=f"{SERVER}/{WORKER}", id="seen", subject=SERVER)

    async def send(self, session_id: str, said: i.InboxInput, *, id: str | None = None) -> RecordMetadata:
        return await self.publisher.publish(
            self.bus.topics.inbox, said, key=session_id, id=id or str(uuid4()), subject=session_id
        )

    async def alert(self, session_id: str, *, id: str = "alert") -> RecordMetadata:
        alert = ALERT.model_copy(update={"title": session_id, "alert_type": SERVER})
        return await self.send(session_id, i.AlertReceived(alert=alert), id=f"{id}/{session_id}")

    async def same_alert(self, number: int, key: str, *, window_seconds: float = 3600.0) -> tuple[str, RecordMetadata]:
        """An alert with this deduplication key, and the id of the session that it would start."""
        own = session_beside(derive_id("same", key, number), key, LOG_PARTITIONS)
        alert = ALERT.model_copy(update={"title": own, "alert_type": SERVER})
        same = i.Deduplication(key=key, window_seconds=window_seconds)
        received = i.AlertReceived(alert=alert, deduplication=same)
        return own, await self.send(own, received, id=f"alert/{own}")

    async def cancel(self, session_id: str, request_id: str = "r1") -> RecordMetadata:
        return await self.send(session_id, i.CancelRequested(request_id=request_id, author="ann"), id=request_id)

    async def claim(self, request: ToolCallRequest, claim_id: str = "claim-1") -> RecordMetadata:
        claimed = i.CallClaimed(call_id=request.call_id, claim_id=claim_id, worker_id=WORKER)
        return await self.send(request.session_id, claimed)

    async def result(
        self, request: ToolCallRequest, content: str = "fine", *, claim_id: str = "claim-1"
    ) -> RecordMetadata:
        reported = i.ToolCallReported(
            call_id=request.call_id,
            claim_id=claim_id,
            worker_id=WORKER,
            outcome="ok",
            content=content,
            cut=False,
            size=len(content),
            lines=1,
            stored=None,
            duration_ms=5,
        )
        return await self.send(request.session_id, reported)

    async def append(
        self, session_id: str, event: Message, *, after: RecordedEvent, decided: int | None = None
    ) -> Envelope:
        """Writes to the log, as only another owner would."""
        time, number, value = datetime.now(UTC), after.number + 1, event.to_bytes()
        previous = after.envelope.id
        id = event_id(previous=previous, type=event.type, subject=session_id, sequence=number, time=time, value=value)
        envelope = Envelope(
            id=id,
            type=event.type,
            version=event.version,
            source="zombie",
            subject=session_id,
            time=time,
            sequence=number,
            previous=previous,
            decided=after.envelope.decided if decided is None else decided,
        )
        await self.publisher.write(
            self.bus.topics.sessions,
            key=session_id.encode(),
            value=value,
            headers=envelope.headers(),
            partition=partition_of(session_id),
        )
        return envelope

    # What lies in the topics

    async def records(self, topic: str) -> list[Record]:
        found: list[Record] = []
        partitions = {one.name: one.partitions for one in self.bus.topics.all(self.bus.layout.log_partitions)}
        await read_to_end(self.bus, topic, dict.fromkeys(range(partitions[topic]), 0), found.append)
        return found

    async def log(self, session_id: str) -> SessionLog:
        return (await read_log(self.bus)).get(session_id, SessionLog())

    async def until(self, session_id: str, type: str, count: int = 1) -> SessionLog:
        """Waits until the log holds so many accepted events of a type."""

        async def look() -> SessionLog | None:
            log = await self.log(session_id)
            return log if log.types.count(type) >= count else None

        return await eventually(look, f"{count} {type} on the log")

    async def until_ended(self, session_id: str) -> SessionLog:
        async def look() -> SessionLog | None:
            log = await self.log(session_id)
            return log if log.ended else None

        log = await eventually(look, "the end of the session")
        check_one_chain(log)
        return log

    async def requests(self, session_id: str) -> list[ToolCallRequest]:
        found = []
        for record in await self.records(self.bus.topics.tool_calls):
            delivery = parse_record(record)
            assert delivery is not None
            if delivery.envelope.subject == session_id:
                found.append(delivery.decode({ToolCallRequest.type: ToolCallRequest}))
        return found

    async def request(self, session_id: str, count: int = 1) -> ToolCallRequest:
        """The request that lies in the queue, once it was published so often."""

        async def look() -> ToolCallRequest | None:
            found = await self.requests(session_id)
            return found[-1] if len(found) >= count else None

        return await eventually(look, f"{count} requests in the queue")

    async def chunks(self, session_id: str) -> list[LlmChunk]:
        found = []
        for record in await self.records(self.bus.topics.stream):
            delivery = parse_record(record)
            assert delivery is not None
            if delivery.envelope.subject == session_id:
                found.append(delivery.decode({LlmChunk.type: LlmChunk}))
        return found

    async def until_streamed(self, session_id: str, *texts: str) -> list[LlmChunk]:
        """Waits until the chunks of the session say this, in this order."""

        async def look() -> list[LlmChunk] | None:
            found = await self.chunks(session_id)
            return found if [chunk.text for chunk in found] == list(texts) else None

        return await eventually(look, f"the chunks {texts}")

    async def controls[C: Control](self, kind: type[C]) -> list[C]:
        """What was told through control, oldest first within a key."""
        found: list[C] = []
        for record in await self.records(self.bus.topics.control):
            delivery = parse_record(record)
            assert delivery is not None
            told = delivery.decode(CONTROLS)
            if isinstance(told, kind):
                found.append(told)
        return found

    async def told[C: Control](self, kind: type[C], count: int = 1) -> list[C]:
        async def look() -> list[C] | None:
            found = await self.controls(kind)
            return found if len(found) >= count else None

        return await eventually(look, f"{count} {kind.type} on control")

    async def heads(self, session_id: str) -> list[tuple[int, SessionHead | None]]:
        """The heads of a session as they were written: number, and None for a tombstone."""
        found: list[tuple[int, SessionHead | None]] = []
        for record in await self.records(self.bus.topics.heads):
            of, _, number = (record.key or b"").decode().rpartition("/")
            if of == session_id:
                head = None if record.value is None else SessionHead.model_validate_json(record.value)
                found.append((int(number), head))
        return found

    async def until_rested(self, session_id: str, number: int) -> SessionHead:
        """Waits for the head at rest with this number."""

        async def look() -> SessionHead | None:
            heads = [head for _, head in await self.heads(session_id) if head is not None]
            return next((head for head in heads if head.phase == "rest" and head.number == number), None)

        return await eventually(look, f"a head at rest with number {number}")

    async def until_heads(self, session_id: str, *wanted: tuple[int, str | None]) -> list[SessionHead]:
        """Waits until these heads were written, and no others: number and phase, None for a tombstone.

        The tombstone of a head is written after the one that replaces it.
        """

        async def look() -> list[SessionHead] | None:
            heads = await self.heads(session_id)
            written = [(number, None if head is None else head.phase) for number, head in heads]
            return [head for _, head in heads if head is not None] if written == list(wanted) else None

        return await eventually(look, f"its heads are {wanted}")

    async def committed(self, partition: int) -> int:
        """-1 when nothing was committed."""
        async with admin(self.bus) as client:
            offsets = await client.list_consumer_group_offsets(f"{self.bus.topics.prefix}.orchestrator")
        found: dict[int, int] = {place.partition: meta.offset for place, meta in offsets.items()}
        return found.get(partition, -1)

    async def until_committed(self, written: RecordMetadata) -> None:
        """Waits until the inbox is committed past a record."""

        async def look() -> bool:
            return await self.committed(written.partition) > int(written.offset)

        await eventually(look, f"offset {written.offset + 1} of partition {written.partition} is committed")


def new_session(partition: int | None = None) -> str:
    """A session id, of one partition if that matters."""
    assert partition is None or partition < LOG_PARTITIONS
    while True:
        session_id = str(uuid4())
        if partition is None or partition_of(session_id) == partition:
            return session_id


def partition_of(session_id: str) -> int:
    everywhere = list(range(LOG_PARTITIONS))
    found: int = DefaultPartitioner()(session_id.encode(), everywhere, everywhere)
    return found


async def stop_all(owners: Sequence[RunningOwner]) -> None:
    async with asyncio.timeout(90):
        for owner in owners:
            if not owner.task.done():
                await owner.stop()
