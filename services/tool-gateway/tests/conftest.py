import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest
from opentelemetry.trace import NoOpTracer
from prometheus_client import CollectorRegistry

sys.path.append(str(Path(__file__).parent))

from gateway_owner import DEAD_AFTER_SECONDS, WAIT_SECONDS, Owner, owning
from http_servers import HttpServer, NewServer

from tarsy_bus.client.connection import Bus
from tarsy_processes.ports import free_port
from tarsy_testing.real_servers import FEW_PARTITIONS, TopicPartitions
from tarsy_testing.system.program_forks import program_forks
from tarsy_tool_gateway.app import assemble
from tarsy_tool_gateway.builtin.runbooks.rules import RunbookRules
from tarsy_tool_gateway.mcp.server_plan import ServerPlan, StdioTransport
from tarsy_tool_gateway.settings import ToolGatewaySettings
from tarsy_worker.claim_types import ServerLimits

type Running = Callable[..., AbstractAsyncContextManager[asyncio.Task[None]]]
type NewPlan = Callable[..., ServerPlan]

NO_RUNBOOKS = RunbookRules(allowed_domains=())


@pytest.fixture
def topic_partitions() -> TopicPartitions:
    return FEW_PARTITIONS


@pytest.fixture
async def owner(bus: Bus) -> AsyncIterator[Owner]:
    async with owning(bus) as owner:
        yield owner


@pytest.fixture
def calls_file(tmp_path: Path) -> Path:
    return tmp_path / "calls"


@pytest.fixture
def new_server(calls_file: Path) -> Iterator[NewServer]:
    """An MCP server over HTTP; whoever starts it need not kill it."""
    servers: list[HttpServer] = []

    def make(era: str = "modern", *, tls: tuple[Path, ...] = (), **environment: str) -> HttpServer:
        servers.append(HttpServer(free_port(), era, {"CALLS": str(calls_file), **environment}, tls))
        return servers[-1]

    yield make
    for server in servers:
        server.kill()


@pytest.fixture(scope="session")
def small_program(work_folder: Path) -> Iterator[tuple[str, ...]]:
    """The command of the small server over stdio."""
    with program_forks("small_server", work_folder, found_in=Path(__file__).parent) as command:
        yield command


@pytest.fixture
def new_plan(calls_file: Path, small_program: tuple[str, ...]) -> NewPlan:
    """The small server, under a name, with its limits."""
    command, *arguments = small_program

    def make(name: str = "first", *, concurrent: int = 4, queue: int = 16) -> ServerPlan:
        return ServerPlan(
            name=name,
            transport=StdioTransport(
                command=command,
                arguments=tuple(arguments),
                environment={"CALLS": str(calls_file)},
            ),
            limits=ServerLimits(concurrent=concurrent, queue=queue),
        )

    return make


@pytest.fixture
def running(bus: Bus) -> Running:
    """A gateway in this process. The block begins when it is ready, and ends when it has stopped in good order."""

    @asynccontextmanager
    async def run(*plans: ServerPlan, runbooks: RunbookRules = NO_RUNBOOKS) -> AsyncIterator[asyncio.Task[None]]:
        settings = ToolGatewaySettings(
            kafka=bus.bootstrap,
            topic_prefix=bus.topics.prefix,
            client="gateway",
            mcp_connect_seconds=WAIT_SECONDS,
            dead_after_seconds=DEAD_AFTER_SECONDS,
        )
        ready = asyncio.Event()
        gateway = assemble(settings, CollectorRegistry(), plans, runbooks, NoOpTracer())
        task = asyncio.create_task(gateway.run(ready.set))
        async with asyncio.timeout(WAIT_SECONDS):
            waiting = asyncio.create_task(ready.wait())
            await asyncio.wait([task, waiting], return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            waiting.cancel()
            task.result()
        try:
            yield task
        finally:
            task.cancel()
            await asyncio.wait([task], timeout=WAIT_SECONDS)
            assert task.cancelled() or task.exception() is None

    return run
