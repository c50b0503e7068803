"""Real Kafka and PostgreSQL for tests: what the environment names, else our own, one of each a test session."""

import asyncio
import gc
import os
import shutil
import ssl
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

import asyncpg
import httpx2
import pytest
from httpx2._config import DEFAULT_TIMEOUT_CONFIG
from httpx2._transports import default as transports
from hypothesis import HealthCheck, settings

from tarsy_bus.client.connection import Bus
from tarsy_bus.topics.topics_admin import admin, apply_topics
from tarsy_contracts.wire import topics
from tarsy_contracts.wire.topics import LOG_PARTITIONS, QUEUE_PARTITIONS, Topics
from tarsy_embedded.kafka import EmbeddedKafka
from tarsy_embedded.postgres import EmbeddedPostgres
from tarsy_llm.providers import PROVIDER_TYPES
from tarsy_processes.ports import free_port
from tarsy_testing.system.service_forks import ServiceForks, lab_forks, service_forks


class TopicPartitions(NamedTuple):
    """How many partitions the log and its neighbours have, and each queue."""

    log: int
    queue: int


PRODUCT_PARTITIONS = TopicPartitions(log=LOG_PARTITIONS, queue=QUEUE_PARTITIONS)
FEW_PARTITIONS = TopicPartitions(log=6, queue=4)
"""A partition costs the broker a millisecond of processor and more; the product's topics have 180 of them."""
POLL_SECONDS, LATER_POLL_SECONDS, POLL_SHARE = 0.02, 0.25, 0.1
WAIT_SECONDS = 90.0
"""For what comes at once on a machine with nothing else to do. Only a failure ever waits so long."""
CLIENT_SECONDS = 30.0
DROP_SECONDS = 10.0
END_HOLDERS = """
    select pg_terminate_backend(pid, 5000) from (
        select distinct l.pid from pg_locks l join pg_class c on c.oid = l.relation
        where c.relnamespace = to_regnamespace($1) and l.pid <> pg_backend_pid()
    ) holders
"""
ROOM_BYTES = 4 * 1024**3
KAFKA = "TARSY_TEST_KAFKA"
CONTAINERS = "TARSY_TEST_CONTAINERS"
DELETE_SOON = {"log.segment.delete.delay.ms": "1000"}
"""Kafka keeps files of a deleted topic open for a minute: of the topics of a hundred tests more than it may open."""
MODEL_VARIABLES = {name for kind in PROVIDER_TYPES.values() for name in kind.variables}


def pytest_configure() -> None:
    """A property holds on a busy machine too: no example has a deadline."""
    settings.register_profile("tarsy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("tarsy")
    _keep_compiled_modules()
    _read_authorities_once()
    _wait_for_answers()
    # Ten thousand tests are collected, and none of them is garbage.
    gc.disable()


def pytest_collection_finish() -> None:
    """Collected tests stay, and no later collection of garbage looks at them. There is hardly any garbage yet, and to
    look for it takes a second of each process."""
    gc.freeze()
    gc.enable()


def _read_authorities_once() -> None:
    """Each client of httpx reads the certificates of all authorities: 30 ms of processor, also to look at a port."""

    @cache
    def created(trust_env: bool, *_named: str | None) -> ssl.SSLContext:
        return httpx2.create_ssl_context(trust_env=trust_env)

    def create(verify: ssl.SSLContext | bool = True, cert: Any = None, trust_env: bool = True) -> ssl.SSLContext:
        if verify is True and cert is None:
            return created(trust_env, os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR"))
        return httpx2.create_ssl_context(verify, cert, trust_env)

    vars(transports)["create_ssl_context"] = create


def _wait_for_answers() -> None:
    """A client for which nobody set a limit gives up after five seconds, in which a busy machine may not answer. The
    clients of services have limits of their own."""
    for part in ("connect", "read", "write", "pool"):
        setattr(DEFAULT_TIMEOUT_CONFIG, part, CLIENT_SECONDS)


def _keep_compiled_modules() -> None:
    """Tests start hundreds of processes. Where the environment keeps none, each compiles all that it imports: of the
    1,400 modules of `tarsy up` that takes two seconds of processor."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False


@pytest.fixture(scope="session", autouse=True)
def no_real_model() -> Iterator[None]:
    """No test asks a model that costs money because a key lies in the environment of whoever runs it."""
    with pytest.MonkeyPatch.context() as patch:
        for name in MODEL_VARIABLES:
            patch.delenv(name, raising=False)
        yield


FOLDER = "tarsy-tests-"
"""Beginning of the names of folders of tests. The process that made a folder follows."""


def folder_in_memory() -> Path | None:
    """Where there is room. Kafka waits for the disk at each partition it makes, and each test has 150 of its own."""
    memory = Path("/dev/shm")
    roomy = memory.is_dir() and os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > ROOM_BYTES
    return memory if roomy else None


@pytest.fixture(scope="session")
def work_folder() -> Iterator[Path]:
    with folder_of_tests() as folder:
        yield folder


@contextmanager
def folder_of_tests() -> Iterator[Path]:
    memory = folder_in_memory()
    if memory is not None:
        remove_left_folders(memory)
    with tempfile.TemporaryDirectory(
        prefix=f"{FOLDER}{os.getpid()}-", dir=memory, ignore_cleanup_errors=True
    ) as folder:
        yield Path(folder)


def remove_left_folders(memory: Path) -> None:
    """A run that was killed leaves gigabytes, which are memory: those of processes that are gone are removed."""
    for folder in memory.glob(f"{FOLDER}*-*"):
        owner = folder.name.removeprefix(FOLDER).partition("-")[0]
        if owner.isdecimal() and not Path("/proc", owner).exists():
            shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def kafka_bootstrap(request: pytest.FixtureRequest, work_folder: Path) -> Iterator[str]:
    """TARSY_TEST_KAFKA (HOST:PORT), else a container where TARSY_TEST_CONTAINERS asks for it, else our own.

    Our own is that of all workers where there are some.
    """
    given = os.environ.get(KAFKA) or getattr(request.config, "workerinput", {}).get(KAFKA)
    if given:
        yield given
        return
    if os.environ.get(CONTAINERS):
        # Here, as few have a Docker engine.
        from tarsy_testing.servers.containers import kafka_container

        with kafka_container() as bootstrap:
            yield bootstrap
        return
    with own_kafka(work_folder / "kafka") as kafka:
        yield kafka.bootstrap


def own_kafka(folder: Path, *java_options: str) -> EmbeddedKafka:
    """A broker of a test's own, not started: to be killed, or set up in another way."""
    return EmbeddedKafka(
        folder,
        port=free_port(),
        cache_dir=cache_dir(),
        progress=lambda _: None,
        settings=DELETE_SOON,
        java_options=java_options,
    )


def cache_dir() -> Path:
    return Path(os.environ.get("TARSY_CACHE_DIR", Path.home() / ".cache" / "tarsy"))


@pytest.fixture(scope="session")
def database_url(work_folder: Path) -> Iterator[str]:
    """TARSY_TEST_DATABASE (a postgresql:// URL), else a container where one is asked for, else our own."""
    given = os.environ.get("TARSY_TEST_DATABASE")
    if given:
        yield given
        return
    if os.environ.get(CONTAINERS):
        from tarsy_testing.servers.containers import postgres_container

        with postgres_container() as url:
            yield url
        return
    with EmbeddedPostgres(work_folder / "postgres", port=free_port(), progress=lambda _: None, tests=True) as postgres:
        yield postgres.url


@pytest.fixture
def topic_prefix() -> str:
    return f"t{uuid4().hex[:10]}"


@pytest.fixture
def topic_partitions() -> TopicPartitions:
    """Those of the product. Folders whose tests start no other process override it with FEW_PARTITIONS."""
    return PRODUCT_PARTITIONS


@pytest.fixture
async def bus(kafka_bootstrap: str, topic_prefix: str, topic_partitions: TopicPartitions) -> AsyncIterator[Bus]:
    """Topics of this test's own."""
    bus = bus_of_tests(kafka_bootstrap, topic_prefix)
    async with made_topics(bus, topic_partitions):
        yield bus


@asynccontextmanager
async def made_topics(bus: Bus, partitions: TopicPartitions) -> AsyncIterator[None]:
    """All topics, described; deleted afterwards, or a thousand of them slow the broker down."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(topics, "QUEUE_PARTITIONS", partitions.queue)
        await apply_topics(bus, log_partitions=partitions.log)
        yield
        await delete_topics(bus)


def bus_of_tests(bootstrap: str, prefix: str) -> Bus:
    """A dead member of a group is missed soon."""
    return Bus(bootstrap=bootstrap, topics=Topics(prefix), client="test", session_timeout_ms=3_000, heartbeat_ms=500)


async def delete_topics(bus: Bus) -> None:
    """All topics of the bus that are there. Nothing looks for them first: a list has all topics of all tests."""
    async with admin(bus) as client:
        await client.delete_topics([topic.name for topic in bus.topics.all()])


@pytest.fixture
async def database_schema(database_url: str) -> AsyncIterator[str]:
    """The name of a schema of this test's own; it is dropped afterwards."""
    schema = f"t{uuid4().hex[:10]}"
    yield schema
    await drop_schema(database_url, schema)


async def drop_schema(database_url: str, schema: str, *, seconds: float = DROP_SECONDS) -> None:
    """A transaction that a test left open would hold this up for ever: its connection is ended, and the test fails."""
    connection = await asyncpg.connect(database_url, server_settings={"lock_timeout": f"{seconds}s"})
    statement = f'DROP SCHEMA IF EXISTS "{schema}" CASCADE'
    try:
        await connection.execute(statement)
    except asyncpg.LockNotAvailableError:
        await connection.execute(END_HOLDERS, schema)
        await connection.execute(statement)
        pytest.fail(f"a connection still had a transaction open in the schema {schema}")
    finally:
        await connection.close()


async def eventually[T](
    look: Callable[[], Awaitable[T | None]], what: str | Callable[[], str], *, seconds: float = WAIT_SECONDS
) -> T:
    """Looks until there is something, which it returns; fails with `what` when there is nothing in time.

    It looks less often the longer it waits: a look may cost as much as what it waits for.
    """
    began = time.monotonic()
    while True:
        found = await look()
        if found:
            return found
        if (waited := time.monotonic() - began) > seconds:
            pytest.fail(f"not in {seconds:g} seconds: {what if isinstance(what, str) else what()}")
        await asyncio.sleep(min(max(waited * POLL_SHARE, POLL_SECONDS), LATER_POLL_SECONDS))


@pytest.fixture(scope="session")
def forks() -> Iterator[ServiceForks]:
    """Services of today's code, started without their imports."""
    with lab_forks() as lab, service_forks(lab=lab) as forks:
        yield forks
