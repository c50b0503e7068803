"""The test plays the owner of the sessions: it asks for summaries and hears what is reported and streamed."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from uuid import uuid4

from aiokafka import TopicPartition

from tarsy_bus.client.connection import Bus
from tarsy_bus.client.publisher import Publisher
from tarsy_bus.readers.partition_reader import PartitionReader
from tarsy_bus.readers.records import delivery
from tarsy_contracts.events import Piece, StoredResult, ToolCallCompleted
from tarsy_contracts.messages.chunks import CHUNKS, SummaryChunk
from tarsy_contracts.messages.control import CallCancelled
from tarsy_contracts.messages.inputs import INPUTS, CallClaimed, CallNotStarted, SummaryReported
from tarsy_contracts.messages.requests import LogPosition, SummaryRequest
from tarsy_contracts.wire.message import Message
from tarsy_testing.real_servers import eventually

WAIT_SECONDS = 90.0
KINDS: dict[str, type[Message]] = {**INPUTS, **CHUNKS}


class Owner:
    def __init__(self, bus: Bus, publisher: Publisher) -> None:
        self.bus = bus
        self.publisher = publisher
        self.heard: list[Message] = []
        self._news = asyncio.Condition()

    async def ask(self, request: SummaryRequest) -> None:
        await self._publish(self.bus.topics.summaries, request, request.session_id)

    async def cancel(self, request: SummaryRequest) -> None:
        await self._publish(self.bus.topics.control, CallCancelled(call_id=request.call_id), request.session_id)

    async def store(self, *pieces: bytes) -> StoredResult:
        """As the tool gateway does, with another call's piece between them."""
        places: list[Piece] = []
        for piece in pieces:
            for value in (b"another call's", piece):
                written = await self.publisher.write(
                    self.bus.topics.results, key=b"k", value=value, headers=[], partition=3
                )
            places.append(Piece(offset=written.offset, size=len(piece)))
        return StoredResult(partition=3, pieces=tuple(places), size=sum(map(len, pieces)), lines=0)

    async def record(self, content: str) -> LogPosition:
        event = ToolCallCompleted(call_id="call", outcome="ok", content=content)
        return await self._publish(self.bus.topics.sessions, event, str(uuid4()))

    async def result(self, request: SummaryRequest) -> SummaryReported:
        return await self._first(SummaryReported, request)

    async def claim(self, request: SummaryRequest) -> CallClaimed:
        return await self._first(CallClaimed, request)

    async def not_started(self, request: SummaryRequest) -> CallNotStarted:
        return await self._first(CallNotStarted, request)

    async def chunk(self, request: SummaryRequest) -> SummaryChunk:
        return await self._first(SummaryChunk, request)

    async def until_streamed(self, request: SummaryRequest, text: str) -> None:
        """The last run has streamed this. Its chunks come through another topic than its report, which may be ahead."""

        async def is_there() -> bool:
            return self._streamed(request) == text

        await eventually(is_there, lambda: f"{self._streamed(request)!r} is {text!r}", seconds=WAIT_SECONDS)

    def _streamed(self, request: SummaryRequest) -> str:
        chunks = self.all(SummaryChunk, request)
        last = max((chunk.run for chunk in chunks), default=0)
        return "".join(chunk.text for chunk in chunks if chunk.run == last)

    def all[M: (SummaryReported, CallClaimed, CallNotStarted, SummaryChunk)](
        self, kind: type[M], request: SummaryRequest
    ) -> list[M]:
        return [each for each in self.heard if isinstance(each, kind) and each.call_id == request.call_id]

    async def _first[M: (SummaryReported, CallClaimed, CallNotStarted, SummaryChunk)](
        self, kind: type[M], request: SummaryRequest
    ) -> M:
        async with asyncio.timeout(WAIT_SECONDS), self._news:
            await self._news.wait_for(lambda: bool(self.all(kind, request)))
        return self.all(kind, request)[0]

    async def _publish(self, topic: str, message: Message, key: str) -> LogPosition:
        written = await self.publisher.publish(topic, message, key=key, id=str(uuid4()), subject=key)
        return LogPosition(partition=written.partition, offset=written.offset)

    async def listen(self, topic: str, started: asyncio.Event) -> None:
        every = self.bus.topics.all(self.bus.layout.log_partitions)
        partitions = next(each.partitions for each in every if each.name == topic)
        places = [TopicPartition(topic, partition) for partition in range(partitions)]
        async with PartitionReader(self.bus, topic).running() as follower:
            ends = await follower.consumer.end_offsets(places)
            follower.assign({place.partition: ends[place] for place in places})
            started.set()
            while True:
                found = [delivery(record).decode(KINDS) for record in await follower.read()]
                async with self._news:
                    self.heard += found
                    self._news.notify_all()


@asynccontextmanager
async def owning(bus: Bus) -> AsyncIterator[Owner]:
    async with (
        Publisher(bus, source="test", now=lambda: datetime.now(UTC)).running() as publisher,
        asyncio.TaskGroup() as tasks,
    ):
        owner = Owner(bus, publisher)
        listening = []
        for topic in (bus.topics.inbox, bus.topics.stream):
            started = asyncio.Event()
            listening.append(tasks.create_task(owner.listen(topic, started)))
            async with asyncio.timeout(WAIT_SECONDS):
                await started.wait()
        yield owner
        for task in listening:
            task.cancel()


def summary(
    *,
    at: LogPosition | None = None,
    stored: StoredResult | None = None,
    provider: str = "scripted",
    fallbacks: tuple[str, ...] = (),
    timeout: float = 30.0,
    within: float = 60.0,
) -> SummaryRequest:
    return SummaryRequest(
        session_id=str(uuid4()),
        call_id=str(uuid4()),
        execution_id="execution",
        agent="KubernetesAgent",
        server="kube",
        tool="pods_log",
        arguments={"pod": "checkout"},
        alert_title="PodCrashLooping",
        purpose="Why does it restart?",
        result_event=at or LogPosition(partition=0, offset=0),
        stored=stored,
        llm_provider=provider,
        fallback_providers=fallbacks,
        max_tokens=500,
        timeout_seconds=timeout,
        not_after=datetime.now(UTC) + timedelta(seconds=within),
    )
