"""A child's output: bounded on disk, whole at its end, and no business of the child's."""

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tarsy_processes.child import ChildProcess
from tarsy_processes.log_writer import CHUNK_BYTES, RotatedFile
from tarsy_waiting import wait_until

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
        wait_until(lambda: one.exited() is not None)
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
        wait_until(lambda: one.exited() is not None)
        assert one.output().endswith("x")

    assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= 2 * (3 * LIMIT + CHUNK_BYTES)


def test_what_a_child_says_is_told_from_what_was_there_before(tmp_path: Path) -> None:
    log = tmp_path / "one.log"
    log.write_text("before\n")
    with child(log, "print('after')") as one:
        wait_until(lambda: one.exited() is not None)

        assert one.output() == "after\n"
        assert one.last_lines() == "after"
    assert log.read_text() == "before\nafter\n"
