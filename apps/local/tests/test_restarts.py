"""What `tarsy up` has started comes back: with a budget, after growing pauses, and it says so."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry

from tarsy_bus.acceptance import LogMismatchError
from tarsy_embedded.errors import DiskFullError, EmbeddedError, ExitedEarlyError
from tarsy_local.one_process import run_in_one_process
from tarsy_local.supervisor import restart_budget
from tarsy_local.supervisor.restart_budget import MOST_RESTARTS, WINDOW_SECONDS, BudgetSpentError, RestartBudget
from tarsy_local.supervisor.server_supervisor import ServerSupervisor
from tarsy_processes.ports import free_port
from tarsy_service.process.service import Ready, Service

LIMIT_SECONDS = 60.0


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(restart_budget, "FIRST_PAUSE_SECONDS", 0.0)


def test_pauses_grow_and_the_budget_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(restart_budget, "FIRST_PAUSE_SECONDS", 0.5)
    budget = RestartBudget("Kafka", now=lambda: 0.0)
    assert [budget.spend("exit code 1") for _ in range(MOST_RESTARTS)] == [0.5, 1.0, 2.0, 4.0, 8.0]
    with pytest.raises(
        BudgetSpentError, match=r"Kafka had to be started again 5 times within 10 minutes.* exit code 3"
    ):
        budget.spend("exit code 3")


def test_restarts_of_long_ago_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(restart_budget, "FIRST_PAUSE_SECONDS", 0.5)
    now = 0.0
    budget = RestartBudget("Kafka", now=lambda: now)
    for _ in range(MOST_RESTARTS):
        budget.spend("exit code 1")
    now = WINDOW_SECONDS + 1
    assert budget.spend("exit code 1") == 0.5


class Server:
    """One of our own, as far as it is supervisor: it ends as often as it is told, and may be hard to start."""

    name = "Kafka"
    pid = 1

    def __init__(self, *, refuses: Sequence[EmbeddedError] = ()) -> None:
        self.ended: EmbeddedError | None = None
        self.starts = 0
        self._refuses = list(refuses)

    def failure(self) -> EmbeddedError | None:
        return self.ended

    def start_again(self) -> Iterator[float]:
        yield 0.0
        self.starts += 1
        if self._refuses:
            raise self._refuses.pop(0)
        self.ended = None


def exited() -> ExitedEarlyError:
    return ExitedEarlyError("Kafka", -9, Path("kafka.log"), "last lines")


async def keep(server: Server, work: Callable[[], object], said: list[str]) -> None:
    supervisor = ServerSupervisor([server], say=said.append, changed=lambda: None)  # type: ignore[list-item]
    async with asyncio.timeout(LIMIT_SECONDS):
        await supervisor.run_with(work())  # type: ignore[arg-type]


async def test_a_server_that_ended_is_started_again_until_it_runs_while_the_work_goes_on() -> None:
    server, said = Server(refuses=[exited(), exited()]), list[str]()
    server.ended = exited()

    async def work() -> None:
        while server.failure() is not None:  # noqa: ASYNC110 - it looks, as the services do
            await asyncio.sleep(0.01)

    await keep(server, work, said)
    assert server.starts == 3
    assert said == ["Kafka ended with exit code -9 (kafka.log may say why); starting it again in 0 seconds"] * 3


async def test_a_server_that_ends_again_and_again_ends_the_work_with_a_sentence() -> None:
    server = Server(refuses=[exited() for _ in range(MOST_RESTARTS)])
    server.ended = exited()
    ended = asyncio.Event()

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    with pytest.RaisesGroup(pytest.RaisesExc(BudgetSpentError, match="Kafka had to be started again 5 times")):
        await keep(server, work, [])
    assert ended.is_set()


async def test_what_no_restart_mends_ends_it_at_once() -> None:
    server = Server()
    server.ended = DiskFullError(Path("home"), 12, 500)
    with pytest.RaisesGroup(pytest.RaisesExc(DiskFullError, match="12 MB left")):
        await keep(server, asyncio.Event().wait, [])
    assert server.starts == 0


async def serving(deaths: list[Exception], said: list[str]) -> int:
    """How often the services were made, of which each that is made dies so; the last one has to be stopped."""
    made, alive = 0, asyncio.Event()

    def make(registry: CollectorRegistry) -> list[Service]:
        nonlocal made
        made += 1
        death = deaths.pop(0) if deaths else None

        async def run(ready: Ready) -> None:
            ready()
            if death is not None:
                raise death
            alive.set()
            await asyncio.Event().wait()

        return [Service("one", run)]

    async def until_alive() -> None:
        await alive.wait()

    work = run_in_one_process(
        make,
        host="127.0.0.1",
        port=free_port(),
        on_ready=lambda: None,
        on_death=said.append,
        fatal_errors=(LogMismatchError,),
    )
    task = asyncio.create_task(work)
    living = asyncio.create_task(until_alive())
    await asyncio.wait([task, living], return_when=asyncio.FIRST_COMPLETED, timeout=LIMIT_SECONDS)
    living.cancel()
    if not task.done():
        task.cancel()
        await asyncio.wait([task])
        return made
    await task
    return made


async def test_services_that_die_are_started_again() -> None:
    said: list[str] = []
    assert await serving([TimeoutError("no answer"), LookupError()], said) == 3
    assert said == [
        "The services ended (TimeoutError: no answer); starting them again in 0 seconds",
        "The services ended (LookupError); starting them again in 0 seconds",
    ]


async def test_a_mistake_that_somebody_has_to_mend_ends_them() -> None:
    said: list[str] = []
    with pytest.RaisesGroup(pytest.RaisesExc(LogMismatchError, match="another log")):
        await serving([LogMismatchError("another log")], said)
    assert said == []


async def test_services_that_die_again_and_again_end_it_with_a_sentence() -> None:
    with pytest.raises(BudgetSpentError, match=r"The services had to be started again 5 times.*LookupError: no"):
        await serving([LookupError("no") for _ in range(MOST_RESTARTS + 1)], [])
