"""An ingest on a real Kafka, as `__main__` builds it, and what it wrote there."""

import asyncio
import contextlib
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

sys.path.append(str(Path(__file__).parent))

from aiokafka import AIOKafkaProducer
from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType
from aiokafka.errors import MessageSizeTooLargeError
from ingest_running import Ingest, Records, StartIngest, Writable
from prometheus_client import CollectorRegistry

from tarsy_bus.client.connection import Bus
from tarsy_bus.readers.partition_reader import Record, read_to_end
from tarsy_bus.topics.topics_admin import admin
from tarsy_ingest.alert_rules import AlertRules, AlertTypes
from tarsy_ingest.app import build
from tarsy_ingest.settings import IngestSettings
from tarsy_service.process.runner import Readiness, build_app
from tarsy_testing.real_servers import FEW_PARTITIONS, WAIT_SECONDS, TopicPartitions, eventually

PROBE = b"probe"
GROUP_SESSION_MS = 60_000
"""Nobody dies here without leaving the group. A pause of this machine makes no other reader of the one that there is,
which would read again what was not committed."""
CONFIG = """
mcp_servers:
  kubernetes: {transport: {type: stdio, command: "true"}}
  prometheus: {transport: {type: stdio, command: "true"}}
system: {runbooks: {allowed_domains: [github.com, .example.com]}}
agents: {A: {}}
agent_chains:
  one:
    alert_types: [kubernetes, KubePodCrashLooping, database]
    stages: [{name: look, agents: [{name: A, llm_provider: scripted}]}]
llm_providers: {scripted: {type: scripted, script: script.yaml}}
"""


@pytest.fixture
def topic_partitions() -> TopicPartitions:
    return FEW_PARTITIONS


@pytest.fixture
def config_dir(tmp_path: Path) -> Path:
    (tmp_path / "tarsy.yaml").write_text(CONFIG, encoding="utf-8")
    (tmp_path / "script.yaml").touch()
    return tmp_path


@pytest.fixture
def types() -> AlertTypes:
    return AlertTypes(dict.fromkeys(("kubernetes", "KubePodCrashLooping", "database"), "one"), "kubernetes")


@pytest.fixture
def rules(types: AlertTypes) -> AlertRules:
    return AlertRules(
        types, frozenset({"kubernetes", "prometheus"}), frozenset({"scripted", "other"}), ("github.com", ".example.com")
    )


@pytest.fixture
def samples() -> dict[str, Any]:
    """Webhooks as a real Alertmanager sent them."""
    found: dict[str, Any] = json.loads((Path(__file__).parent / "samples/alertmanager-webhook.json").read_bytes())
    return found


@pytest.fixture
async def unconnected(config_dir: Path) -> AsyncIterator[httpx2.AsyncClient]:
    """The HTTP side of an ingest that has no Kafka."""
    registry = CollectorRegistry()
    service = build(IngestSettings(config_dir=config_dir), registry)
    app = build_app([service], Readiness([service.name]), registry)
    async with _client(app) as client:
        yield client


@pytest.fixture
def limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """None that a busy machine reaches: the first write alone may take longer there than a sender waits."""
    monkeypatch.setattr("tarsy_ingest.doors.write_gate.ANSWER_SECONDS", WAIT_SECONDS)
    monkeypatch.setattr("tarsy_ingest.app.WRITE_SECONDS", WAIT_SECONDS)


@pytest.fixture
def start_ingest(bus: Bus, config_dir: Path, limits: None) -> StartIngest:
    settings = IngestSettings(
        kafka=bus.bootstrap,
        topic_prefix=bus.topics.prefix,
        config_dir=config_dir,
        config_poll_seconds=0.1,
        group_session_timeout_ms=GROUP_SESSION_MS,
        group_heartbeat_ms=bus.heartbeat_ms,
    )

    @asynccontextmanager
    async def start() -> AsyncIterator[Ingest]:
        registry = CollectorRegistry()
        service = build(settings, registry)
        readiness = Readiness([service.name])
        running = asyncio.ensure_future(service.run(lambda: readiness.ready(service.name)))
        try:
            async with asyncio.timeout(WAIT_SECONDS):
                await readiness.all.wait()
            app = build_app([service], readiness, registry)
            async with _client(app) as client:
                yield Ingest(client, registry, app)
        finally:
            running.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await running

    return start


@pytest.fixture
async def ingest(start_ingest: StartIngest) -> AsyncIterator[Ingest]:
    async with start_ingest() as started:
        yield started


@pytest.fixture
def records(bus: Bus) -> Records:
    """All records of a topic, as they are now."""
    partitions = {topic.name: topic.partitions for topic in bus.topics.all(bus.layout.log_partitions)}

    async def read(topic: str) -> list[Record]:
        found: list[Record] = []
        await read_to_end(bus, topic, dict.fromkeys(range(partitions[topic]), 0), found.append)
        return [record for record in found if record.key != PROBE]

    return read


@pytest.fixture
def inbox_writable(bus: Bus) -> Writable:
    """An outage of the inbox alone: the broker refuses whatever is written there. Returns when it does (or not)."""

    async def set_writable(writable: bool) -> bool:
        # Kafka forgets every setting that is not said again.
        inbox = next(topic for topic in bus.topics.all() if topic.name == bus.topics.inbox)
        config = inbox.settings() if writable else inbox.settings() | {"max.message.bytes": "1"}
        resource = ConfigResource(ConfigResourceType.TOPIC, bus.topics.inbox, config)
        async with admin(bus) as client:
            await client.alter_configs([resource])
        return await eventually(lambda: _is_writable_as(bus, writable), "the change of the inbox")

    return set_writable


async def _is_writable_as(bus: Bus, writable: bool) -> bool:
    """With a record that the tests do not read."""
    writing = AIOKafkaProducer(bootstrap_servers=bus.bootstrap)
    await writing.start()
    try:
        await writing.send_and_wait(bus.topics.inbox, b"probe", key=PROBE, partition=bus.layout.log_partitions - 1)
    except MessageSizeTooLargeError:
        return not writable
    finally:
        await writing.stop()
    return writable


def _client(app: Any) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url="http://localhost")
