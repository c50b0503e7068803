"""A Kafka and a PostgreSQL of somebody's own, and each service as a program of its own."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

import httpx2
import pytest
from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType

from tarsy_bus.client.connection import Bus
from tarsy_bus.topics.topics_admin import admin, apply_topics, compare_topics
from tarsy_contracts.wire.topics import Topics
from tarsy_local.instance_counts import SERVICES
from tarsy_processes.ports import free_port
from tarsy_testing.real_servers import delete_topics, eventually
from tarsy_testing.system.service_forks import ServiceForks
from tarsy_testing.system.system import READY_SECONDS, System, running
from tarsy_testing.system.up import environment, tarsy, wait_for, write_config


@pytest.fixture(scope="module")
def prefix(kafka_bootstrap: str) -> Iterator[str]:
    """Of topics, and of the schema. Nothing is made yet."""
    prefix = f"t{uuid4().hex[:10]}"
    yield prefix
    asyncio.run(delete_topics(Bus(bootstrap=kafka_bootstrap, topics=Topics(prefix), client="test")))


def listens_everywhere(port: int) -> bool:
    """As the kernel lists it: an address of zeros, in the state of listening."""
    rows = [line.split() for line in Path("/proc/net/tcp").read_text("utf-8").splitlines()[1:]]
    return (f"00000000:{port:04X}", "0A") in [(row[1], row[3]) for row in rows]


def test_a_demo_completes_on_servers_that_somebody_else_runs(
    tmp_path: Path, kafka_bootstrap: str, database_url: str, prefix: str, incidents: Path, forks: ServiceForks
) -> None:
    variables = {"TARSY_KAFKA": "elsewhere:9092", "TARSY_HTTP_HOST": "0.0.0.0", "TARSY_OPEN_ACCESS": "yes"}
    settings = environment(TARSY_DATABASE_SCHEMA=prefix, **variables)
    parts = ("--kafka", kafka_bootstrap, "--database", database_url, "--topic-prefix", prefix)
    with tarsy(tmp_path / "one", environment=settings, incidents=incidents, forks=forks) as one:
        up = one.up(*parts)
        code, output = one.run("demo")
        assert code == 0, output
        assert "session: completed" in output
        status = one.status()
        assert (status["kafka"], status["topic_prefix"]) == (kafka_bootstrap, prefix)
        assert status["api"] == f"http://127.0.0.1:{one.http_port}/api/v1"
        said = " ".join(up.output.split())
        assert said.count("TARSy listens on 0.0.0.0, and TARSY_OPEN_ACCESS=yes lets everybody in") == 1
        assert listens_everywhere(one.http_port)
        assert {process.service for process in one.processes()} == set(SERVICES)
        shown = one.run("status")[1]
        assert not (one.home / "kafka").exists()
        assert not (one.home / "postgres").exists()
        log = (one.home / "tarsy.log").read_text("utf-8")
        code, _ = one.run("down")
        assert (code, up.wait()) == (0, 0)
    password = urlsplit(database_url).password
    assert password
    for told in (up.output, shown, str(status), log):
        assert password not in told
    bus = Bus(bootstrap=kafka_bootstrap, topics=Topics(prefix), client="test")
    assert asyncio.run(compare_topics(bus)).missing == []


def test_a_kafka_that_is_not_there_is_said_within_a_limit(
    tmp_path: Path, database_url: str, forks: ServiceForks
) -> None:
    nowhere = f"127.0.0.1:{free_port()}"
    with tarsy(tmp_path / "one", forks=forks) as one:
        up = one.start_up("--kafka", nowhere, "--database", database_url)
        assert up.wait() == 1
    assert f"Kafka at {nowhere} cannot be used" in up.output
    assert "TARSY_KAFKA_SECURITY_PROTOCOL" in up.output
    assert "Traceback" not in up.output


@pytest.mark.parametrize(
    ("database", "said"),
    [
        ("postgresql://tarsy:hush@127.0.0.1:{port}/tarsy", "PostgreSQL at postgresql://127.0.0.1:{port}/tarsy cannot"),
        ("postgresql://tarsy:hush@127.0.0.1:port/tarsy", "is not an address of PostgreSQL"),
        ("mysql://tarsy:hush@127.0.0.1/tarsy", "is not an address of PostgreSQL"),
    ],
)
def test_a_database_that_cannot_be_used_is_said_without_its_password(
    tmp_path: Path, kafka_bootstrap: str, database: str, said: str, forks: ServiceForks
) -> None:
    port = free_port()
    with tarsy(tmp_path / "one", forks=forks) as one:
        up = one.start_up("--kafka", kafka_bootstrap, "--database", database.format(port=port))
        assert up.wait() == 1
        log = (one.home / "tarsy.log").read_text("utf-8")
    assert said.format(port=port) in up.output
    assert "hush" not in up.output + log
    assert "Traceback" not in up.output


@pytest.fixture(scope="module")
def wrong_topics(kafka_bootstrap: str) -> Iterator[Bus]:
    """All of them, but the log has a setting that Kafka would have chosen."""
    bus = Bus(bootstrap=kafka_bootstrap, topics=Topics(f"t{uuid4().hex[:10]}"), client="test")
    (log,) = [topic for topic in bus.topics.all() if topic.name == bus.topics.sessions]
    settings = log.settings() | {"message.timestamp.type": "CreateTime"}

    async def wrong() -> bool:
        return bool((await compare_topics(bus)).misfits)

    async def make() -> None:
        await apply_topics(bus)
        async with admin(bus) as client:
            await client.alter_configs([ConfigResource(ConfigResourceType.TOPIC, log.name, settings)])
        await eventually(wrong, "the log has another setting")

    asyncio.run(make())
    yield bus
    asyncio.run(delete_topics(bus))


def test_topics_that_do_not_fit_are_named_and_left_as_they_are(
    tmp_path: Path, wrong_topics: Bus, database_url: str, forks: ServiceForks
) -> None:
    with tarsy(tmp_path / "one", forks=forks) as one:
        parts = ("--database", database_url, "--topic-prefix", wrong_topics.topics.prefix)
        up = one.start_up("--kafka", wrong_topics.bootstrap, *parts)
        assert up.wait() == 1
    misfit = f"topic {wrong_topics.topics.sessions} has message.timestamp.type=CreateTime, not LogAppendTime"
    assert up.output.splitlines()[-1].startswith(misfit)
    assert "Traceback" not in up.output
    assert asyncio.run(compare_topics(wrong_topics)).misfits == [misfit]


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory, kafka_bootstrap: str, database_url: str) -> Iterator[System]:
    """Each service as `python -m tarsy_SERVICE`, started by nobody but the test."""
    folder = tmp_path_factory.mktemp("alone")
    prefix = f"t{uuid4().hex[:10]}"
    bus = Bus(bootstrap=kafka_bootstrap, topics=Topics(prefix), client="test")
    asyncio.run(apply_topics(bus))
    system = System(bus, folder, write_config(folder / "config"), database_url, prefix)
    with running(system):
        asyncio.run(start_each(system))
        yield system
    asyncio.run(delete_topics(bus))


async def start_each(system: System) -> None:
    await system.start_all()
    await system.started("notifier")


READS_CONFIGURATION = ("ingest", "orchestrator", "tool-gateway", "summarizer", "notifier")


@pytest.mark.parametrize("service", SERVICES)
def test_a_service_alone_tells_its_health_its_readiness_and_its_metrics(alone: System, service: str) -> None:
    url = alone.of(service).url
    assert httpx2.get(f"{url}/health", timeout=90).json() == {"status": "healthy"}

    def works_in_full() -> bool:
        """A service that is ready may still say what is missing, such as an MCP server that has not started."""
        ready = httpx2.get(f"{url}/ready", timeout=90)
        told = ready.json()
        assert (told.pop("config").keys() == {service}) == (service in READS_CONFIGURATION)
        nothing: dict[str, object] = {"waiting_for": [], "starting": [], "reasons": {}, "degraded": {}}
        return (ready.status_code, told) == (200, {"ready": True, **nothing})

    wait_for(works_in_full, f"{service} is ready and lacks nothing")
    metrics = httpx2.get(f"{url}/metrics", timeout=90)
    assert metrics.status_code == 200
    assert "# HELP tarsy_" in metrics.text


@pytest.mark.parametrize("service", SERVICES)
def test_a_service_alone_says_it_and_stops_when_a_topic_was_made_wrong(
    tmp_path: Path, database_url: str, service: str, wrong_topics: Bus, forks: ServiceForks
) -> None:
    config = write_config(tmp_path / "config")
    system = System(wrong_topics, tmp_path, config, database_url, "never_made", forks=forks)
    with running(system):
        process = system.start(service)
        assert process.process.wait(READY_SECONDS) == 2
    said = process.log.read_text("utf-8").splitlines()[-1]
    assert said.endswith("sessions has message.timestamp.type=CreateTime, not LogAppendTime.")
