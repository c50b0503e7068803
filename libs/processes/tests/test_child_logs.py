"""A child's output: bounded on disk, whole at its end, and no business of the child's."""

import os
import signal
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tarsy_processes import output_log
from tarsy_processes.child import ChildProcess
from tarsy_processes.log_writer import CHUNK_BYTES, RotatedFile
from tarsy_testing.waiting import wait_until

LIMIT = 20_000


@contextmanager
def child(log: Path, program: str) -> Iterator[ChildProcess]:
    one = ChildProcess(
        [sys.executable, "-c", program],
        log=log,
        death_signal=signal.SIGKILL,
        folder=log.parent,
        environment={},
        log_bytes=LIMIT,
    )
    try:
        yield one
    finally:
        one.stop(signal.SIGKILL)


def test_a_log_is_rotated_by_size_and_no_line_between_is_lost(tmp_path: Path) -> None:
    log, lines = tmp_path / "one.log", 10_000
    with child(log, f"for n in range({lines}): print('line', n, flush=n % 7 == 0)") as one:
        wait_until(lambda: one.poll_exit() is not None)
        assert one.output().endswith(f"line {lines - 1}\n")

    kept = [path.read_text() for path in (tmp_path / "one.log.1", log)]
    numbers = [int(line.split()[1]) for line in "".join(kept).splitlines()]
    assert numbers == list(range(numbers[0], lines))
    assert numbers[0] > 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one.log", "one.log.1"]
    assert all(len(text) <= LIMIT + CHUNK_BYTES for text in kept)


def test_the_last_line_is_in_the_newest_file_even_when_it_fills_it(tmp_path: Path) -> None:
    """Whoever asks for a child's last words reads only that one."""
    log = tmp_path / "one.log"
    file = RotatedFile(log, limit=10, kept=1)
    file.write(b"line 1\nline 2\nline 3\n")
    assert log.read_text() == "line 3\n"
    assert (tmp_path / "one.log.1").read_text() == "line 1\nline 2\n"


def test_a_line_without_end_makes_no_file_without_end(tmp_path: Path) -> None:
    log = tmp_path / "one.log"
    with child(log, "import sys\nfor _ in range(500): sys.stdout.write('x' * 10_000)") as one:
        wait_until(lambda: one.poll_exit() is not None)
        assert one.output().endswith("x")

    assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= 2 * (3 * LIMIT + CHUNK_BYTES)


def test_what_a_child_says_is_told_from_what_was_there_before(tmp_path: Path) -> None:
    log = tmp_path / "one.log"
    log.write_text("before\n")
    with child(log, "print('after')") as one:
        wait_until(lambda: one.poll_exit() is not None)

        assert one.output() == "after\n"
        assert one.last_lines() == "after"
    assert log.read_text() == "before\nafter\n"


def test_one_process_writes_the_logs_of_all_children(tmp_path: Path) -> None:
    with child(tmp_path / "one.log", "print('one')") as one, child(tmp_path / "other.log", "print('other')") as other:
        wait_until(lambda: one.poll_exit() is not None and other.poll_exit() is not None)
        assert (one.output(), other.output()) == ("one\n", "other\n")
        assert len(log_writers()) == 1


def test_a_child_goes_on_writing_when_the_writer_was_killed(tmp_path: Path) -> None:
    signalled = tmp_path / "signalled"
    program = f"""
        import time
        from pathlib import Path
        print("before", flush=True)
        while not Path({str(signalled)!r}).exists():
            time.sleep(0.01)
        print("after", flush=True)
    """
    with child(tmp_path / "one.log", textwrap.dedent(program)) as one:
        wait_until(lambda: one.output() == "before\n")
        os.kill(log_writers()[0], signal.SIGKILL)
        signalled.touch()
        wait_until(lambda: one.poll_exit() is not None)
        assert one.poll_exit() == 0
        assert one.output() == "before\nafter\n"


def test_the_last_words_of_children_are_kept_though_who_started_them_was_killed(tmp_path: Path) -> None:
    program = (
        "import signal, time; signal.signal(15, lambda *_: print('last words') or exit());"
        "print('begun', flush=True); time.sleep(600)"
    )
    starter = f"""
        import signal, sys, time
        from pathlib import Path
        from tarsy_processes.child import ChildProcess
        here = Path({str(tmp_path)!r})
        for name in ("one", "other"):
            ChildProcess([sys.executable, "-c", {program!r}], log=here / f"{{name}}.log",
                         death_signal=signal.SIGTERM, folder=here, environment={{}})
        time.sleep(600)
    """
    logs = [tmp_path / "one.log", tmp_path / "other.log"]
    with child(tmp_path / "starter.log", textwrap.dedent(starter)) as one:
        wait_until(lambda: all(log.exists() and log.read_text() == "begun\n" for log in logs))
        one.stop(signal.SIGKILL)
    wait_until(lambda: all(log.read_text() == "begun\nlast words\n" for log in logs))


def test_a_process_that_a_child_left_behind_does_not_hold_its_stop_up_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(output_log, "_LOG_SECONDS", 0.1)
    left = "import subprocess, sys; print(subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)']).pid)"
    log = tmp_path / "one.log"
    with child(log, left) as one:
        wait_until(lambda: log.read_text().endswith("\n"))
        one.stop(signal.SIGKILL)
    os.kill(int(log.read_text()), signal.SIGKILL)


def log_writers() -> list[int]:
    children = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text("utf-8").split()
    return [pid for pid in map(int, children) if b"log_writer.py" in Path(f"/proc/{pid}/cmdline").read_bytes()]
