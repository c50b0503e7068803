"""One process that is started again, and the order in which many are ended."""

import asyncio
import json
import os
import signal
import textwrap
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import httpx2
import pytest

from tarsy_local.supervisor import process_group as process_group
from tarsy_local.supervisor import supervised_process
from tarsy_local.supervisor.process_group import ProcessGroup, StartTooSlowError
from tarsy_local.supervisor.supervised_process import (
    LONGEST_PAUSE_SECONDS,
    RestartPauses,
    ServiceRefusedError,
    SupervisedProcess,
)
from tarsy_testing.real_servers import eventually

SMALL = """
import http.server, os, signal, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        answer = os.environ.get("ANSWER", "").encode()
        self.send_response(503 if answer and not os.path.exists(os.environ.get("MENDED", "")) else 200)
        self.end_headers()
        self.wfile.write(answer)
    def log_message(self, *_):
        pass
def stop(*_):
    with open(os.environ["STOPS"], "a") as stops:
        stops.write(os.environ["TARSY_CLIENT"] + "\\n")
    sys.exit(0)
signal.signal(signal.SIGTERM, signal.SIG_IGN if os.environ.get("DEAF") else stop)
if code := os.environ.get("EXITS"):
    sys.exit(int(code))
http.server.HTTPServer(("127.0.0.1", int(os.environ["TARSY_HTTP_PORT"])), Handler).serve_forever()
"""
STARTS = json.dumps({"ready": False, "starting": ["small"], "reasons": {}})
REFUSING = 'import sys; sys.stderr.write(\'{"event": "starting"}\\nthe topic is missing\\n\'); sys.exit(2)'


@pytest.fixture
async def client() -> AsyncIterator[httpx2.AsyncClient]:
    async with httpx2.AsyncClient(trust_env=False) as client:
        yield client


@pytest.fixture
def small(tmp_path: Path, client: httpx2.AsyncClient) -> Callable[..., SupervisedProcess]:
    """Makes an instance of a service that only answers."""

    def make(service: str = "small", number: int = 1, *, code: str = SMALL, **environment: str) -> SupervisedProcess:
        (tmp_path / f"tarsy_{service.replace('-', '_')}.py").write_text(textwrap.dedent(code), "utf-8")
        return SupervisedProcess(
            service,
            number,
            log_file=tmp_path / f"{service}-{number}.log",
            environment=os.environ | {"PYTHONPATH": str(tmp_path), "STOPS": str(tmp_path / "stops")} | environment,
            client=client,
            changed=lambda: None,
        )

    return make


@asynccontextmanager
async def running(one: SupervisedProcess) -> AsyncIterator[None]:
    task = asyncio.create_task(one.run())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        assert one.pid is None


async def until(one: SupervisedProcess, state: str) -> None:
    async def look() -> bool:
        return one.state == state

    await eventually(look, f"{one.name} is {state}")


async def test_a_process_that_is_killed_comes_back_as_another_one(
    small: Callable[..., SupervisedProcess], tmp_path: Path
) -> None:
    """It starts for as long as the test looks."""
    mended = tmp_path / "mended"
    mended.touch()
    one = small(ANSWER=STARTS, MENDED=str(mended))
    async with running(one):
        await until(one, "ready")
        first = one.pid
        assert first is not None
        mended.unlink()
        os.kill(first, signal.SIGKILL)

        async def another() -> bool:
            return one.pid not in (None, first)

        await eventually(another, "another process")
        assert (one.state, one.restarts) == ("starting", 1)
        mended.touch()
        await until(one, "ready")


async def test_told_to_stop_it_ends_and_does_not_come_back(small: Callable[..., SupervisedProcess]) -> None:
    one = small()
    task = asyncio.create_task(one.run())
    await until(one, "ready")
    one.stop()
    async with asyncio.timeout(90):
        await task
    assert (one.state, one.pid, one.restarts) == ("stopped", None, 0)


async def test_told_to_stop_while_it_waits_it_waits_no_longer(
    small: Callable[..., SupervisedProcess], monkeypatch: pytest.MonkeyPatch
) -> None:
    for pause in ("FIRST_PAUSE_SECONDS", "LONGEST_PAUSE_SECONDS"):
        monkeypatch.setattr(supervised_process, pause, 3_600.0)
    one = small(EXITS="1")
    task = asyncio.create_task(one.run())

    async def waits() -> bool:
        return one.state == "waiting"

    await eventually(waits, "it died")
    one.stop()
    async with asyncio.timeout(90):
        await task
    assert one.state == "stopped"


async def test_what_a_service_says_to_the_operator_at_its_first_start_comes_out(
    small: Callable[..., SupervisedProcess],
) -> None:
    with pytest.raises(ServiceRefusedError) as refused:
        await small(code=REFUSING).run()
    assert str(refused.value) == "the topic is missing"


async def test_a_refusal_of_one_that_worked_before_is_no_reason_to_give_up(
    small: Callable[..., SupervisedProcess], tmp_path: Path
) -> None:
    one = small()
    async with running(one):
        await until(one, "ready")
        (tmp_path / "tarsy_small.py").write_text(REFUSING, "utf-8")
        assert one.pid is not None
        os.kill(one.pid, signal.SIGKILL)

        async def tried() -> bool:
            return one.restarts >= 2

        await eventually(tried, "it was tried again")
        (tmp_path / "tarsy_small.py").write_text(textwrap.dedent(SMALL), "utf-8")
        await until(one, "ready")


async def test_a_port_that_somebody_took_is_not_insisted_on(small: Callable[..., SupervisedProcess]) -> None:
    one = small()
    taken = one.port
    server = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", taken)
    async with server, running(one):
        await until(one, "ready")
        assert one.port != taken


def test_pauses_grow_while_it_dies_at_once_and_begin_again_when_it_lived() -> None:
    pauses = RestartPauses(draw=lambda: 0.0)
    grown = [pauses.after(0.5) for _ in range(8)]
    assert grown == [0.2, 0.4, 0.8, 1.6, 3.2, 6.4, LONGEST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS]
    assert pauses.after(60.0) == 0.2


async def test_they_end_one_service_after_the_other(small: Callable[..., SupervisedProcess], tmp_path: Path) -> None:
    names = ["timeline", "websocket-gateway", "orchestrator", "tool-gateway", "summarizer", "notifier", "ingest"]
    processes = ProcessGroup([small(name) for name in names])
    assert not any(processes.ready(name) for name in names)
    task = asyncio.create_task(processes.run())
    await processes.until_ready(90)
    assert all(processes.ready(name) for name in names)
    async with asyncio.timeout(120):
        await processes.stop()
        await task
    stops = (tmp_path / "stops").read_text("utf-8").split()
    assert [stops[:1], sorted(stops[1:3]), stops[3:4], sorted(stops[4:6]), stops[6:]] == [
        ["ingest-1"],
        ["summarizer-1", "tool-gateway-1"],
        ["orchestrator-1"],
        ["notifier-1", "websocket-gateway-1"],
        ["timeline-1"],
    ]


async def test_one_that_does_not_listen_is_killed_in_the_end(
    small: Callable[..., SupervisedProcess], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process_group, "PHASE_SECONDS", 0.2)
    monkeypatch.setattr(process_group, "STOP_SECONDS", 0.5)
    deaf = small("ingest", DEAF="1")
    processes = ProcessGroup([deaf, small("timeline")])
    task = asyncio.create_task(processes.run())
    await processes.until_ready(90)
    pid = deaf.pid
    assert pid is not None
    async with asyncio.timeout(90):
        await processes.stop()
        await task
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


async def test_one_that_refuses_ends_the_others(small: Callable[..., SupervisedProcess]) -> None:
    other = small("timeline")
    with pytest.raises(ExceptionGroup) as group:
        await ProcessGroup([other, small("ingest", code=REFUSING)]).run()
    assert group.group_contains(ServiceRefusedError, match="the topic is missing")
    assert (other.state, other.pid) == ("stopped", None)


async def test_those_that_are_not_ready_in_time_are_named(small: Callable[..., SupervisedProcess]) -> None:
    processes = ProcessGroup([small(EXITS="1")])
    task = asyncio.create_task(processes.run())
    with pytest.raises(StartTooSlowError, match=r"small-1 \(its log: .*small-1\.log"):
        await processes.until_ready(0.3)
    processes.members[0].stop()
    await task


async def test_one_that_works_and_waits_for_somebody_to_mend_something_holds_up_no_start(
    small: Callable[..., SupervisedProcess], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(supervised_process, "SETTLED_SECONDS", 0.3)
    monkeypatch.setattr(supervised_process, "UNREADY_LOOK_SECONDS", 0.1)
    reasons = ["MCP server k8s: HTTP 401", "MCP server logs: no such command"]
    answer = json.dumps({"ready": False, "starting": [], "reasons": {"tool-gateway": reasons}})
    unready = {"ANSWER": answer, "MENDED": str(tmp_path / "mended")}
    processes = ProcessGroup([*(small("tool-gateway", number, **unready) for number in (1, 2)), small("timeline")])
    task = asyncio.create_task(processes.run())
    await processes.until_ready(90)
    assert [one.state for one in processes.members] == ["starting", "starting", "ready"]
    assert processes.unready_reasons() == reasons
    (tmp_path / "mended").touch()
    await until(processes.members[0], "ready")
    await until(processes.members[1], "ready")
    assert processes.unready_reasons() == []
    await processes.stop()
    await task


@pytest.mark.parametrize(
    "answer",
    [
        {"starting": ["tool-gateway"], "reasons": {"tool-gateway": ["MCP server k8s: it has not been reached yet"]}},
        {"starting": ["tool-gateway"], "reasons": {}},
        {"starting": [], "reasons": {}},
        {"detail": "another answer"},
    ],
)
async def test_one_that_only_starts_is_waited_for(
    small: Callable[..., SupervisedProcess], monkeypatch: pytest.MonkeyPatch, answer: dict[str, object]
) -> None:
    monkeypatch.setattr(supervised_process, "SETTLED_SECONDS", 0.0)
    processes = ProcessGroup([small("tool-gateway", ANSWER=json.dumps(answer))])
    task = asyncio.create_task(processes.run())
    with pytest.raises(StartTooSlowError):
        await processes.until_ready(2)
    assert processes.unready_reasons() == []
    await processes.stop()
    await task
