"""Programs beside the gateway: how they end, and what they say last. On both event loops, for they start programs."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
import uvloop
from chaos.memory import resident, watched
from mcp.client._transport import ReadStream, TransportStreams
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

from tarsy_testing.loop_held import watching_the_loop
from tarsy_tool_gateway.mcp.gateway_errors import MOST_ANSWER_BYTES
from tarsy_tool_gateway.mcp.server_plan import StdioTransport
from tarsy_tool_gateway.mcp.transports.stdio import stdio_streams

type Run = Callable[[Coroutine[Any, Any, None]], None]

SAY = """
import json, os, signal, subprocess, sys, time
def say(**params):
    print(json.dumps({"jsonrpc": "2.0", "method": "said", "params": params}), flush=True)
"""
DEAF = "signal.signal(signal.SIGTERM, signal.SIG_IGN); say(pid=os.getpid()); time.sleep(900)"
ENDLESS = "while True: os.write(1, b'x' * 65536)"
PARENT = "one = subprocess.Popen(['sleep', '900']); say(pid=os.getpid(), of=one.pid); sys.stdin.read()"
DYING_PARENT = "one = subprocess.Popen(['sleep', '900']); say(pid=os.getpid(), of=one.pid)"
NOTING = "open(os.environ['NOTES'], 'a').write('x'); sys.stdin.read()"
BIG = """
for number in range(int(sys.argv[1])):
    text = "a line of text\\n" * (17 * 1024 * 1024 // 15)
    print(json.dumps({"jsonrpc": "2.0", "id": number, "result": {"text": text}}))
"""
HELD_SECONDS = 0.5
LIMIT_SECONDS = 200
"""Nothing but a failure takes so long, and what these programs do takes longer still."""


@pytest.fixture(params=[asyncio.run, uvloop.run], ids=["asyncio", "uvloop"])
def run(request: pytest.FixtureRequest) -> Run:
    """Runs it to its end, after which nothing of it is left."""

    async def within_limits(test: Coroutine[Any, Any, None]) -> None:
        # With the first program uvloop opens what it keeps.
        async with streams(""):
            pass
        files = open_files()
        async with asyncio.timeout(LIMIT_SECONDS):
            await test
            await until(lambda: open_files() <= files)
        assert asyncio.all_tasks() == {asyncio.current_task()}

    def run(test: Coroutine[Any, Any, None]) -> None:
        request.param(within_limits(test))

    return run


@asynccontextmanager
async def streams(
    program: str, *arguments: str, ended: Callable[[], None] = lambda: None, **environment: str
) -> AsyncIterator[TransportStreams]:
    transport = StdioTransport(sys.executable, ("-S", "-c", SAY + program, *arguments), environment)
    assert sys.__stderr__ is not None
    async with stdio_streams(transport, sys.__stderr__, ended) as both:
        yield both


async def said(reading: ReadStream[SessionMessage | Exception]) -> dict[str, int]:
    got = await reading.receive()
    assert isinstance(got, SessionMessage)
    assert isinstance(got.message, JSONRPCNotification)
    return got.message.params or {}


async def until(look: Callable[[], bool]) -> None:
    async with asyncio.timeout(LIMIT_SECONDS):
        while not look():  # noqa: ASYNC110 - what the system does tells nobody
            await asyncio.sleep(0.02)


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))


def lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def processes_with(mark: str) -> list[str]:
    """Those that carry it in their environment."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (folder / "environ").read_bytes():
                found.append(folder.name)
        except OSError:
            continue
    return found


def test_a_line_without_end_ends_the_session_in_bounded_memory_and_holds_up_no_stop(run: Run) -> None:
    async def test() -> None:
        ended = asyncio.Event()
        before = resident(os.getpid())
        async with watched(os.getpid()) as watch, streams(ENDLESS, ended=ended.set) as (reading, _):
            with pytest.raises(anyio.EndOfStream):
                await reading.receive()
            assert ended.is_set()
        assert watch.most - before < 2 * MOST_ANSWER_BYTES / 1024**2

    run(test())


@pytest.mark.timing
def test_long_lines_arrive_whole_and_keep_nobody_waiting(run: Run) -> None:
    async def test() -> None:
        async with watching_the_loop() as held, streams(BIG, "4") as (reading, writing):
            for number in range(4):
                await writing.send(SessionMessage(JSONRPCRequest(jsonrpc="2.0", id=number, method="tools/call")))
            for number in range(4):
                got = await reading.receive()
                assert isinstance(got, SessionMessage)
                assert isinstance(got.message, JSONRPCResponse)
                assert got.message.id == number
                assert got.message.result == {"text": "a line of text\n" * (17 * 1024 * 1024 // 15)}
        assert held.longest < HELD_SECONDS

    run(test())


def test_what_a_program_says_last_arrives_before_its_end(run: Run) -> None:
    async def test() -> None:
        ended = asyncio.Event()
        async with streams("say(text='x' * 1_000_000); os._exit(3)", ended=ended.set) as (reading, _):
            await asyncio.sleep(0)
            assert len(str((await said(reading))["text"])) == 1_000_000
            with pytest.raises(anyio.EndOfStream):
                await reading.receive()
            assert ended.is_set()

    run(test())


def test_a_program_that_ignores_every_wish_is_killed(run: Run) -> None:
    async def test() -> None:
        async with streams(DEAF) as (reading, writing):
            pid = (await said(reading))["pid"]
            # It does not read either: more than a pipe holds waits for it.
            await writing.send(
                SessionMessage(JSONRPCNotification(jsonrpc="2.0", method="x", params={"x": "x" * 10**6}))
            )
            assert lives(pid)
        assert not lives(pid)

    run(test())


@pytest.mark.timing
def test_who_is_impatient_with_a_stop_gets_no_process_left_behind(run: Run) -> None:
    async def use(pids: list[int]) -> None:
        async with streams(DEAF) as (reading, _):
            pids.append((await said(reading))["pid"])
            await asyncio.Event().wait()

    async def test() -> None:
        pids: list[int] = []
        using = asyncio.create_task(use(pids))
        await until(lambda: bool(pids))
        while not using.done():
            using.cancel()
            await asyncio.wait([using], timeout=0.1)
        assert using.cancelled()
        assert not lives(pids[0])

    run(test())


@pytest.mark.parametrize("program", [PARENT, DYING_PARENT])
def test_what_a_program_has_started_ends_with_it(run: Run, program: str) -> None:
    async def test() -> None:
        async with streams(program) as (reading, _):
            pids = await said(reading)
            assert lives(pids["of"])
        assert not lives(pids["pid"])
        # Killed, when it was too slow to end by itself: nobody can wait for the child of another.
        await until(lambda: not lives(pids["of"]))

    run(test())


def test_the_end_of_a_program_is_noticed_though_its_child_holds_the_output_open(run: Run) -> None:
    async def test() -> None:
        ended = asyncio.Event()
        async with streams(DYING_PARENT, ended=ended.set) as (reading, _):
            pids = await said(reading)
            with pytest.raises(anyio.EndOfStream):
                await reading.receive()
            assert ended.is_set()
            assert lives(pids["of"])

    run(test())


# With uvloop a program holds its output open a second time, without knowing it: there only its end is the end.
@pytest.mark.parametrize("run", [asyncio.run], indirect=True)
def test_a_closed_output_is_the_end_though_the_program_lives(run: Run) -> None:
    async def test() -> None:
        ended = asyncio.Event()
        async with streams("say(pid=os.getpid()); os.close(1); sys.stdin.read()", ended=ended.set) as (reading, _):
            pid = (await said(reading))["pid"]
            with pytest.raises(anyio.EndOfStream):
                await reading.receive()
            assert ended.is_set()
            assert lives(pid)
        assert not lives(pid)

    run(test())


def test_a_start_that_is_cancelled_in_the_middle_leaves_no_process(run: Run, tmp_path: Path) -> None:
    notes = tmp_path / "notes"

    async def use() -> None:
        async with streams(NOTING, NOTES=str(notes)):
            await asyncio.Event().wait()

    async def test() -> None:
        for steps in range(8):
            using = asyncio.create_task(use())
            for _ in range(steps):
                await asyncio.sleep(0)
            using.cancel()
            await asyncio.wait([using])
            assert using.cancelled()
            assert processes_with(str(notes)) == []
        assert notes.read_text("utf-8")

    run(test())


def test_what_is_no_message_is_counted_and_what_follows_arrives(
    run: Run, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    async def test() -> None:
        async with streams("print('password: hunter2\\n\\n[]\\n{', flush=True); say(pid=1)") as (reading, _):
            assert await said(reading) == {"pid": 1}

    run(test())
    assert "hunter2" not in caplog.text + json.dumps(capfd.readouterr())
