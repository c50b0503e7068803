"""`/ready` follows the last step of every loop: while Kafka is frozen nobody is ready, and afterwards everybody is."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import httpx2
import pytest
from prometheus_client import CollectorRegistry

from tarsy_bus.topics.topics_admin import apply_topics
from tarsy_local.composition import all_services
from tarsy_local.instance_counts import SERVICES
from tarsy_processes.ports import free_port
from tarsy_service import loop_progress
from tarsy_service.process.runner import run_services
from tarsy_testing.real_servers import bus_of_tests, drop_schema, eventually, own_kafka
from tarsy_testing.system.up import write_config

LIMIT_SECONDS = 120.0
TOLD_SECONDS = 30.0
"""Within which `/ready` tells of a Kafka that is frozen, as docs/operations says."""
STALLED_SECONDS = 6.0
STALLING = {
    "orchestrator": {"announcements", "workers", "catalog", "session log", "inbox"},
    "tool-gateway": {"announcements", "control", "logins", "requests"},
    "summarizer": {"announcements", "control", "requests"},
    "timeline": {"answers", "projector", "workers", "catalog", "held sessions"},
    "websocket-gateway": {"session log", "stream"},
}
"""The loops that need Kafka for each step."""
OTHERS = {
    "orchestrator": {"ownership", "decisions", "sessions that wait"},
    "timeline": {"unprojected", "search index"},
    "ingest": {"alerts topic", "heads"},
}


class Kafka:
    def __init__(self, bootstrap: str, pid: int) -> None:
        self.bootstrap = bootstrap
        self.pid = pid

    def freeze(self) -> None:
        os.kill(self.pid, signal.SIGSTOP)

    def thaw(self) -> None:
        os.kill(self.pid, signal.SIGCONT)


@pytest.fixture
async def api(
    tmp_path: Path, database_url: str, database_schema: str, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[tuple[Kafka, httpx2.AsyncClient]]:
    """All services in one process, ready, on a Kafka of their own."""
    monkeypatch.setattr(loop_progress, "STALLED_SECONDS", STALLED_SECONDS)
    with own_kafka(tmp_path / "kafka") as broker:
        kafka, port = Kafka(broker.bootstrap, broker.pid), free_port()
        await apply_topics(bus_of_tests(broker.bootstrap, "t"))
        settings = {
            "KAFKA": broker.bootstrap,
            "TOPIC_PREFIX": "t",
            "DATABASE": database_url,
            "DATABASE_SCHEMA": database_schema,
            "TIMELINE_URL": f"http://127.0.0.1:{port}",
            "CONFIG_DIR": str(write_config(tmp_path / "config")),
            "MASKING_KEY": "ab" * 32,
        }
        for name, value in settings.items():
            monkeypatch.setenv(f"TARSY_{name}", value)
        monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
        registry, stop, ready = CollectorRegistry(), asyncio.Event(), asyncio.Event()
        running = asyncio.create_task(
            run_services(
                all_services(registry),
                host="127.0.0.1",
                port=port,
                registry=registry,
                shutdown_seconds=10.0,
                on_ready=ready.set,
                stop=stop,
            )
        )
        try:
            async with (
                asyncio.timeout(LIMIT_SECONDS),
                httpx2.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=30.0) as client,
            ):
                await asyncio.wait([running, asyncio.ensure_future(ready.wait())], return_when="FIRST_COMPLETED")
            async with httpx2.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=30.0) as client:
                yield kafka, client
        finally:
            kafka.thaw()
            stop.set()
            await asyncio.wait([running], timeout=LIMIT_SECONDS)
        await running
    await drop_schema(database_url, database_schema)


async def stalled(client: httpx2.AsyncClient) -> dict[str, set[str]]:
    """The loops that `/ready` names, by service."""
    answer = await client.get("/ready")
    reasons: dict[str, list[str]] = answer.json()["reasons"]
    found = {service: {one.partition(": no progress")[0] for one in each} for service, each in reasons.items()}
    assert (answer.status_code == 200) == (not found)
    return found


async def test_while_kafka_is_frozen_nobody_is_ready_and_afterwards_everybody_is(
    api: tuple[Kafka, httpx2.AsyncClient],
) -> None:
    kafka, client = api

    async def ready() -> bool:
        return await stalled(client) == {}

    async def all_stalled() -> bool:
        found = await stalled(client)
        return all(names <= found.get(service, set()) for service, names in STALLING.items())

    async def degraded() -> bool:
        reasons = (await client.get("/ready")).json()["degraded"].get("ingest", [])
        return {one.partition(": no progress")[0] for one in reasons} >= OTHERS["ingest"]

    await eventually(ready, "all loops step", seconds=LIMIT_SECONDS)

    async def all_shown() -> bool:
        """Some loops begin once their service is ready, as with its first partition."""
        shown = (await client.get("/metrics")).text
        loops = [(name, service) for service, names in [*STALLING.items(), *OTHERS.items()] for name in names]
        return all(f'idle_seconds{{loop="{name}",service="{service}"}}' in shown for name, service in loops)

    await eventually(all_shown, "each loop has its metric", seconds=LIMIT_SECONDS)

    async def told_by_all() -> bool:
        reasons = (await client.get("/ready")).json()["reasons"]
        return all(any("has not answered" in one for one in reasons.get(name, ())) for name in SERVICES)

    kafka.freeze()
    await eventually(told_by_all, "every service says that Kafka does not answer", seconds=TOLD_SECONDS)
    await eventually(all_stalled, "every loop that needs Kafka is named", seconds=LIMIT_SECONDS)
    await eventually(degraded, "neither the alerts topic nor heads are read", seconds=LIMIT_SECONDS)
    kafka.thaw()
    await eventually(ready, "all loops step again", seconds=LIMIT_SECONDS)
