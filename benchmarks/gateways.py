"""Tool gateways in processes of their own on a Kafka of their own, and the owner of calls that run at once."""

import asyncio
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

from aiokafka import TopicPartition
from outside import Outside, outside
from tool_server import TOOL

from tarsy_bus.connection import Bus
from tarsy_bus.partition_reader import PartitionReader
from tarsy_bus.publisher import Publisher
from tarsy_bus.records import delivery
from tarsy_bus.topics_admin import apply_topics
from tarsy_contracts.ids import derived_id
from tarsy_contracts.inputs import INPUTS, ToolCallReported
from tarsy_contracts.requests import ToolCallRequest
from tarsy_contracts.topics import LOG_PARTITIONS, QUEUE_PARTITIONS, Topics
from tarsy_embedded.jars import default_cache_dir
from tarsy_embedded.kafka import EmbeddedKafka
from tarsy_processes.ports import free_port

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests-support"))

from tarsy_system import ServiceProcess, System, running

SERVER = "bench"
ANSWER_SECONDS = 60.0
CONFIG = """
defaults: {{alert_type: bench, llm_provider: bench}}
llm_providers: {{bench: {{type: openai, model: bench, base_url: "{model_url}"}}}}
mcp_servers:
  bench:
    transport: {{type: http, url: "{tools_url}"}}
    allow: all
    max_concurrent_calls: {concurrent}
    queue_size: 5000
agents: {{BenchAgent: {{mcp_servers: [bench]}}}}
agent_chains: {{bench: {{alert_types: [bench], stages: [{{name: s, agents: [{{name: BenchAgent}}]}}]}}}}
"""


@dataclass
class Gateways:
    system: System
    around: Outside

    async def start(self, count: int) -> list[ServiceProcess]:
        """So many more. Returns all, once the new ones are ready."""
        started = [self.system.start("tool-gateway") for _ in range(count)]
        await asyncio.gather(*(self.system.until_ready(one) for one in started))
        return self.system.alive("tool-gateway")


@contextmanager
def prepared(*, tool_seconds: float, concurrent: int) -> Iterator[Gateways]:
    """No gateway runs yet. It is on the main thread, with which Kafka ends."""
    with (
        tempfile.TemporaryDirectory(prefix="tarsy-bench-", ignore_cleanup_errors=True) as name,
        outside(model_seconds=0, tool_seconds=tool_seconds) as around,
        EmbeddedKafka(
            Path(name) / "kafka", port=free_port(), cache_dir=default_cache_dir(), progress=lambda _: None
        ) as kafka,
    ):
        folder = Path(name) / "config"
        folder.mkdir()
        (folder / "tarsy.yaml").write_text(
            CONFIG.format(model_url=around.model_url, tools_url=around.tools_url, concurrent=concurrent)
        )
        bus = Bus(
            bootstrap=kafka.bootstrap,
            topics=Topics("bench"),
            client="benchmark",
            session_timeout_ms=3_000,
            heartbeat_ms=500,
        )
        environment = {"TARSY_LOG_LEVEL": "WARNING"}
        with running(System(bus, folder, folder, "", "", environment)) as system:
            yield Gateways(system, around)


class Asking:
    """The owner of calls that may run at once: it asks, and hears of their outcomes."""

    def __init__(self, bus: Bus, publisher: Publisher) -> None:
        self._bus = bus
        self._publisher = publisher
        self._waiting: dict[str, asyncio.Future[ToolCallReported]] = {}

    async def call(self) -> ToolCallReported:
        """Through queue and inbox."""
        request = new_request()
        told = self._waiting[request.call_id] = asyncio.get_running_loop().create_future()
        await self._publisher.publish(
            self._bus.topics.tool_calls,
            request,
            key=request.call_id,
            id=request.call_id,
            subject=request.session_id,
            partition=partition_of(request.call_id),
        )
        async with asyncio.timeout(ANSWER_SECONDS):
            return await told

    async def hear(self, listening: asyncio.Event) -> None:
        """For ever."""
        topic = self._bus.topics.inbox
        places = [TopicPartition(topic, partition) for partition in range(LOG_PARTITIONS)]
        async with PartitionReader(self._bus, topic).running() as follower:
            ends = await follower.consumer.end_offsets(places)
            follower.assign({place.partition: ends[place] for place in places})
            listening.set()
            while True:
                for record in await follower.read():
                    report = delivery(record).decode(INPUTS)
                    if isinstance(report, ToolCallReported) and report.call_id in self._waiting:
                        self._waiting.pop(report.call_id).set_result(report)


@asynccontextmanager
async def asking(bus: Bus) -> AsyncIterator[Asking]:
    await apply_topics(bus)
    listening = asyncio.Event()
    async with (
        Publisher(bus, source="benchmark/1", now=lambda: datetime.now(UTC)).running() as publisher,
        asyncio.TaskGroup() as tasks,
    ):
        one = Asking(bus, publisher)
        hearing = tasks.create_task(one.hear(listening))
        await listening.wait()
        yield one
        hearing.cancel()


def new_request() -> ToolCallRequest:
    return ToolCallRequest(
        session_id=str(uuid4()),
        call_id=str(uuid4()),
        server=SERVER,
        tool=TOOL,
        arguments={"what": "pods"},
        repeatable=True,
        timeout_seconds=ANSWER_SECONDS,
        not_after=datetime.now(UTC) + timedelta(seconds=ANSWER_SECONDS),
    )


def partition_of(call_id: str) -> int:
    """As the orchestrator chooses it for the first attempt (tarsy_session/queue_requests.py)."""
    return int(derived_id("attempt", call_id, 0).replace("-", ""), 16) % QUEUE_PARTITIONS
