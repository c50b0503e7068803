"""Every long-lived task of every service: when it fails, its service fails, and says of what.

Which tasks there are is written down here; a new one makes the first test fail until it is added. One that is not
started by a Supervisor is found by libs/service/tests/test_every_task_is_supervised.py.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import uuid4

import pytest
import pytest_asyncio
from prometheus_client import CollectorRegistry

from tarsy_bus.topics.topics_admin import apply_topics
from tarsy_contracts.wire.topics import LOG_PARTITIONS
from tarsy_local.composition import BUILDERS, Shared
from tarsy_processes.ports import free_port
from tarsy_service import supervision
from tarsy_service.process.runner import run_services
from tarsy_service.process.service import Service
from tarsy_service.supervision import Supervisor, Work, never
from tarsy_testing.real_servers import bus_of_tests, delete_topics, drop_schema, eventually
from tarsy_testing.system.up import write_config

pytestmark = pytest.mark.asyncio(loop_scope="module")

LIMIT_SECONDS = 90.0
SERVER = "kubernetes"
"""The MCP server of the configuration."""

PARTS = ("", " decisions", " work", " outbox", " heads", " quarantine", " dead letters")
TASKS = {
    "ingest": ["alerts topic", "configuration", "heads", "kafka", "queues", "tools"],
    "orchestrator": [
        "announcements",
        "catalog",
        "chunks",
        "commits",
        "configuration",
        "ends of catalog entries",
        "granted actions",
        "spendings",
        "inbox",
        "kafka",
        "ownership",
        "session log",
        "workers",
        *(f"partition-{number}{part}" for number in range(LOG_PARTITIONS) for part in PARTS),
    ],
    "timeline": [
        "answers",
        "approvals",
        "budgets",
        "catalog",
        "deleted labels",
        "held sessions",
        "kafka",
        "prices",
        "projector",
        "search index",
        "servers",
        "unprojected",
        "workers",
    ],
    "websocket-gateway": [
        "ends of sessions",
        "histories",
        "kafka",
        "position of the timeline",
        "questions to the timeline",
        "session log",
        "stream",
    ],
    "summarizer": ["announcements", "chunks", "clock of claims", "configuration", "control", "kafka", "requests"],
    "tool-gateway": [
        "announcements",
        f"catalog of {SERVER}",
        "clock of claims",
        "configuration",
        "control",
        "kafka",
        "logins",
        f"MCP server {SERVER}",
        f"{SERVER} as configured",
        "requests",
    ],
}
OTHERS_ALIKE = {f"partition-{number}{part}" for number in range(1, LOG_PARTITIONS) for part in PARTS}
STARTED_AGAIN = {("timeline", "catalog"), ("timeline", "workers")}
"""They are inside of `servers`, which the service starts again by itself (tarsy_timeline.parts, and its tests)."""
EACH = [(service, task) for service, tasks in TASKS.items() for task in tasks if task not in OTHERS_ALIKE]
EACH = [one for one in EACH if one not in STARTED_AGAIN]


class BrokenTaskError(Exception):
    """What a test raises in a task."""


@pytest_asyncio.fixture(scope="module", loop_scope="module", autouse=True)
async def system(
    kafka_bootstrap: str, database_url: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[None]:
    """Topics, tables and a configuration; the timeline runs, as websocket-gateways ask it."""
    prefix = f"t{uuid4().hex[:10]}"
    bus, port = bus_of_tests(kafka_bootstrap, prefix), free_port()
    await apply_topics(bus)
    config = write_config(tmp_path_factory.mktemp("long-lived") / "config")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in settings(prefix, kafka_bootstrap, database_url, config, port).items():
            patch.setenv(name, value)
        async with running("timeline", port=port):
            yield
    await delete_topics(bus)
    await drop_schema(database_url, prefix)


def settings(prefix: str, kafka: str, database: str, config: Path, port: int) -> dict[str, str]:
    return {
        "TARSY_KAFKA": kafka,
        "TARSY_TOPIC_PREFIX": prefix,
        "TARSY_DATABASE": database,
        "TARSY_DATABASE_SCHEMA": prefix,
        "TARSY_TIMELINE_URL": f"http://127.0.0.1:{port}",
        "TARSY_CONFIG_DIR": str(config),
        "TARSY_MASKING_KEY": "ab" * 32,
        "TARSY_GROUP_SESSION_TIMEOUT_MS": "3000",
        "TARSY_GROUP_HEARTBEAT_MS": "500",
        "TARSY_TOOL_GATEWAY_DRAIN_SECONDS": "0",
        "PATH": f"{Path(os.sys.executable).parent}{os.pathsep}{os.environ['PATH']}",  # type: ignore[attr-defined]
    }


def built(name: str) -> tuple[Service, CollectorRegistry]:
    registry = CollectorRegistry()
    return BUILDERS[name](Shared(registry)), registry


@asynccontextmanager
async def running(name: str, *, port: int | None = None) -> AsyncIterator[tuple[Service, "asyncio.Task[None]"]]:
    """A service as its process runs it. Whoever looks on sees how it ends."""
    service, registry = built(name)
    stop, ready = asyncio.Event(), asyncio.Event()
    run = run_services(
        [service], host="127.0.0.1", port=port or free_port(), registry=registry, shutdown_seconds=10.0,
        on_ready=ready.set, stop=stop,
    )  # fmt: skip
    task = asyncio.create_task(run)
    try:
        if port is not None:
            await asyncio.wait_for(ready.wait(), LIMIT_SECONDS)
        yield service, task
    finally:
        stop.set()
        await asyncio.wait([task], timeout=LIMIT_SECONDS)
        if task.done() and not task.cancelled():
            task.exception()


async def until_it_runs(supervisor: Supervisor, task: str, process: "asyncio.Task[None]") -> None:
    async def look() -> bool:
        if process.done():
            await process
        return task in supervisor.names

    await eventually(look, f"{task} runs", seconds=LIMIT_SECONDS)


@pytest.mark.parametrize("name", TASKS)
async def test_these_are_the_long_lived_tasks(name: str) -> None:
    wanted = sorted(TASKS[name])
    async with running(name) as (service, process):
        for task in wanted:
            await until_it_runs(service.supervisor, task, process)
        assert service.supervisor.names == wanted


@pytest.fixture
def break_it(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], asyncio.Event]]:
    """By a task's name: an event that makes it raise BrokenTaskError."""
    targets: dict[str, asyncio.Event] = {}
    really = supervision.until_cancelled

    async def breakable(name: str, work: Work, may_end: Callable[[], bool] = never) -> None:
        target = targets.get(name)
        await really(name, work if target is None else _until_broken(name, work, target), may_end)

    monkeypatch.setattr(supervision, "until_cancelled", breakable)

    def breaking(name: str) -> asyncio.Event:
        return targets.setdefault(name, asyncio.Event())

    yield breaking
    targets.clear()


async def _until_broken(name: str, work: Work, target: asyncio.Event) -> None:
    working, waiting = asyncio.ensure_future(work), asyncio.create_task(target.wait())
    try:
        await asyncio.wait([working, waiting], return_when=asyncio.FIRST_COMPLETED)
    finally:
        for one in (working, waiting):
            one.cancel()
        await asyncio.wait([working, waiting])
    raise BrokenTaskError(name)


@pytest.mark.parametrize(("name", "task"), EACH)
async def test_a_task_that_fails_ends_its_service_which_says_why(
    name: str, task: str, break_it: Callable[[str], asyncio.Event]
) -> None:
    broken = break_it(task)
    async with running(name) as (service, process):
        await until_it_runs(service.supervisor, task, process)
        broken.set()
        done, _ = await asyncio.wait([process], timeout=LIMIT_SECONDS)
        assert done, f"{name} goes on without its {task}"
    problem = process.exception()
    assert isinstance(problem, ExceptionGroup)
    why = problem.subgroup(BrokenTaskError)
    assert why is not None, problem
    assert task in str(why.exceptions) or task in repr(list(_leaves(why)))


def _leaves(group: BaseExceptionGroup[BaseException]) -> Iterator[BaseException]:
    for one in group.exceptions:
        if isinstance(one, BaseExceptionGroup):
            yield from _leaves(one)
        else:
            yield one
