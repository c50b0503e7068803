"""Services that investigate leave the processors to a flood of alerts, and to nothing else."""

import asyncio
import errno
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tarsy_bus.background_tasks import background_tasks
from tarsy_local.supervisor import flood_priority
from tarsy_local.supervisor.flood_priority import (
    CALM_SECONDS,
    FLOOD_NICENESS,
    FloodGauge,
    SessionPriorities,
    processor_seconds,
    put_floods_first,
)
from tarsy_testing.real_servers import eventually

AUTOGROUP = Path("/proc/self/autogroup")
WAITS = "import sys; print(flush=True); sys.stdin.read()"
BURNS = "print(flush=True)\nwhile True: pass"


def test_ingests_that_use_much_of_a_core_are_a_flood_until_they_were_calm_for_a_while() -> None:
    gauge = FloodGauge()
    assert not gauge.is_flood(50.0, 100.0)
    assert not gauge.is_flood(50.1, 101.0)
    assert gauge.is_flood(50.5, 102.0)
    assert gauge.is_flood(50.5, 102.0 + CALM_SECONDS - 0.1)
    assert not gauge.is_flood(50.5, 102.0 + CALM_SECONDS)


def test_an_ingest_that_was_started_again_is_no_flood() -> None:
    gauge = FloodGauge()
    gauge.is_flood(50.0, 100.0)
    assert not gauge.is_flood(0.1, 101.0)


def test_each_session_is_set_once_and_a_new_one_too(tmp_path: Path) -> None:
    priorities = SessionPriorities(0, tmp_path)
    groups = [made(tmp_path, pid) for pid in (1, 2, 3)]
    priorities.set([1, 2], 10)
    assert [group.read_text("utf-8") for group in groups] == ["10", "10", ""]
    groups[0].write_text("kept", "utf-8")
    priorities.set([1, 2, 3], 10)
    assert [group.read_text("utf-8") for group in groups] == ["kept", "10", "10"]
    priorities.set([1, 2, 3], 0)
    assert [group.read_text("utf-8") for group in groups] == ["0", "0", "0"]


def test_a_change_that_the_kernel_does_not_take_yet_is_made_by_the_next_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    group, write, refusals = made(tmp_path, 1), Path.write_text, [OSError(errno.EAGAIN, "later")]

    def refuse_once(path: Path, text: str, encoding: str) -> int:
        if refusals:
            raise refusals.pop()
        return write(path, text, encoding)

    monkeypatch.setattr(Path, "write_text", refuse_once)
    priorities = SessionPriorities(0, tmp_path)
    for text in ("", "10"):
        priorities.set([1], 10)
        assert group.read_text("utf-8") == text


def test_a_process_that_has_ended_stops_nothing(tmp_path: Path) -> None:
    group = made(tmp_path, 2)
    SessionPriorities(0, tmp_path).set([1, 2], 10)
    assert group.read_text("utf-8") == "10"
    assert processor_seconds(1, tmp_path) == 0.0


async def test_a_kernel_without_groups_of_sessions_ends_it(tmp_path: Path) -> None:
    await put_floods_first(lambda: [], lambda: [], usual=0, proc=tmp_path)
    made(tmp_path, "self")
    await put_floods_first(lambda: [], lambda: [], usual=0, proc=tmp_path)


@pytest.mark.skipif(not AUTOGROUP.exists(), reason="this kernel does not share the processors among sessions")
async def test_while_an_ingest_is_busy_the_session_of_an_orchestrator_is_nicer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # The session of the tests may be in no group; those of the processes below are.
    monkeypatch.setattr(flood_priority, "_has_autogroups", lambda proc: True)
    # On a machine that leaves the busy process little, it is a flood all the same.
    monkeypatch.setattr(flood_priority, "FLOOD_CORES", 0.01)
    with session(BURNS) as ingest, session(WAITS) as orchestrator:
        work = put_floods_first(lambda: [ingest.pid], lambda: [orchestrator.pid], usual=0)
        async with background_tasks(work):
            await eventually(lambda: has_niceness(orchestrator.pid, FLOOD_NICENESS), "it has a lower priority")
            assert await has_niceness(ingest.pid, 0)
            ingest.kill()
            await eventually(lambda: has_niceness(orchestrator.pid, 0), "it has its own priority again")


@contextmanager
def session(program: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process that leads a session, once its program runs."""
    command, pipe = [sys.executable, "-c", program], subprocess.PIPE
    with subprocess.Popen(command, start_new_session=True, stdin=pipe, stdout=pipe) as process:
        assert process.stdout is not None
        process.stdout.readline()
        try:
            yield process
        finally:
            process.kill()


def made(proc: Path, pid: int | str) -> Path:
    (proc / str(pid)).mkdir()
    group = proc / str(pid) / "autogroup"
    group.touch()
    return group


async def has_niceness(pid: int, niceness: int) -> bool:
    group = await asyncio.to_thread(Path(f"/proc/{pid}/autogroup").read_text, "utf-8")
    return group.split()[-1] == str(niceness)
