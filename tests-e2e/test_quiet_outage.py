"""An outage of Kafka, as a process of ours lives through it: few attempts, few lines, and work again in seconds."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry

from tarsy_bus.client import connection
from tarsy_bus.client.broker_connections import SHORTEST_PAUSE_SECONDS
from tarsy_bus.client.connection import Bus
from tarsy_bus.topics.topics_admin import apply_topics
from tarsy_local.composition import all_services
from tarsy_service.telemetry.repeated_lines import MOST_ALIKE
from tarsy_testing.real_servers import bus_of_tests, eventually
from tarsy_testing.servers.outage import KillableKafka, killable_kafka
from tarsy_testing.system.service_forks import ServiceForks
from tarsy_testing.system.system import System, running
from tarsy_testing.system.up import write_config

OUTAGE_SECONDS = 5.0
MOST_KINDS_OF_LINES = 15
MOST_CPU = 0.1
"""Parts of a core. It takes one hundredth; before the clients shared their attempts it took a tenth, and more."""


class ClosingDoor:
    """Stands at the address of a broker that is away, and closes each connection."""

    def __init__(self) -> None:
        self.came: list[float] = []

    @asynccontextmanager
    async def at(self, address: str) -> AsyncIterator[None]:
        host, _, port = address.partition(":")
        server = await asyncio.start_server(self._close, host, int(port))
        try:
            yield
        finally:
            server.close()
            await server.wait_closed()

    async def _close(self, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.came.append(time.monotonic())
        writer.close()


def cpu_seconds(pid: int) -> float:
    user, system = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / 100


def lines_of(log: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in log.read_text("utf-8").splitlines() if line.startswith("{")]


@pytest.fixture
async def kafka(tmp_path: Path) -> AsyncIterator[KillableKafka]:
    async with killable_kafka(tmp_path / "kafka") as kafka:
        yield kafka


@pytest.mark.timing
async def test_an_orchestrator_without_kafka_asks_seldom_says_little_and_goes_on(
    kafka: KillableKafka,
    tmp_path: Path,
    config_dir: Path,
    database_url: str,
    database_schema: str,
    forks: ServiceForks,
) -> None:
    bus = bus_of_tests(kafka.bootstrap, "quiet")
    await apply_topics(bus)
    system = System(bus, tmp_path, config_dir, database_url, database_schema, forks=forks)
    with running(system):
        process = system.start("orchestrator")
        await system.until_ready(process)
        before = len(lines_of(process.log))
        await kafka.kill()
        door = ClosingDoor()
        async with door.at(kafka.bootstrap):
            await eventually(lambda: _has_said(process.log, "kafka.broker_unreachable"), "the outage is noticed")
            door.came.clear()
            began, spent = time.monotonic(), cpu_seconds(process.process.pid)
            await asyncio.sleep(OUTAGE_SECONDS)
            seconds, spent = time.monotonic() - began, cpu_seconds(process.process.pid) - spent
            attempts = len(door.came)
        assert 1 <= attempts <= seconds / SHORTEST_PAUSE_SECONDS + 1
        assert spent <= MOST_CPU * seconds
        said = lines_of(process.log)[before:]
        assert len(said) <= MOST_ALIKE * MOST_KINDS_OF_LINES, said
        (away,) = [line for line in said if line["event"] == "kafka.broker_unreachable"]
        assert (away["level"], away["broker"]) == ("warning", kafka.bootstrap)
        assert datetime.fromisoformat(str(away["since"])).tzinfo is not None
        await kafka.start()
        await eventually(lambda: _has_said(process.log, "kafka.broker_reachable"), "Kafka is back")
        await system.until_ready(process)
        (back,) = [line for line in lines_of(process.log) if line["event"] == "kafka.broker_reachable"]
        assert back["since"] == away["since"]
        assert float(str(back["seconds"])) >= OUTAGE_SECONDS - 1


async def _has_said(log: Path, event: str) -> bool:
    return any(line["event"] == event for line in lines_of(log))


def test_all_services_of_one_process_share_their_attempts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Bus] = []

    def build(*arguments: object, **more: object) -> Bus:
        made.append(Bus(*arguments, **more))  # type: ignore[arg-type]
        return made[-1]

    monkeypatch.setattr(connection, "Bus", build)
    monkeypatch.setenv("TARSY_CONFIG_DIR", str(write_config(tmp_path / "config")))
    monkeypatch.setenv("TARSY_DATABASE", "postgresql://nobody@127.0.0.1:1/none")

    async def compose() -> int:
        return len(all_services(CollectorRegistry()))

    assert asyncio.run(compose()) == len(made) > 1
    assert len({id(bus.connections) for bus in made}) == 1
