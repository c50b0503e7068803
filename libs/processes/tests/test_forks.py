"""Programs as forks: they are what a program of its own would be, and none outlives its server."""

import os
import signal
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tarsy_processes.child import ChildProcess
from tarsy_processes.forks import KILLED, Fork, ForkServer
from tarsy_testing.waiting import wait_until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="forks are made on Linux only")

PROGRAM = """
import os, sys, time
import heavy
print(__name__, sys.argv, os.environ.get("WORD"), "heavy of", heavy.PROCESS, "in", os.getppid(), flush=True)
if code := os.environ.get("EXITS"):
    sys.exit(int(code))
time.sleep(600)
"""


type Start = Callable[..., Fork]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts the program, with this environment."""
    (tmp_path / "heavy.py").write_text("import os\nPROCESS = os.getpid()\n", "utf-8")
    (tmp_path / "program.py").write_text(textwrap.dedent(PROGRAM), "utf-8")
    server = ForkServer(["heavy"], log=tmp_path / "server.log", folder=tmp_path, environment=dict(os.environ))
    forks: list[Fork] = []

    def started(**environment: str) -> Fork:
        log = tmp_path / f"program-{len(forks)}.log"
        forks.append(server.start("program", log=log, environment={**os.environ, **environment}))
        return forks[-1]

    try:
        yield started
    finally:
        server.stop()
        for fork in forks:
            fork.stop(signal.SIGKILL)


def has_written(fork: Fork) -> bool:
    return fork.output().endswith("\n")


def test_a_fork_is_a_program_whose_imports_are_made_already(start: Start) -> None:
    fork = start(WORD="hello")
    wait_until(lambda: has_written(fork))
    name, _, rest = fork.output().partition(" ")
    assert name == "__main__"
    path, word, importer, parent = rest.partition("] ")[0], *(rest.split()[n] for n in (-6, -3, -1))
    assert path.endswith("program.py'")
    assert word == "hello"
    assert importer == parent != str(fork.pid)


def test_its_exit_code_and_its_last_words_are_known(start: Start) -> None:
    fork = start(EXITS="3")
    wait_until(lambda: fork.poll_exit() is not None)
    assert fork.poll_exit() == 3
    assert fork.output().startswith("__main__")
    assert fork.stop(signal.SIGKILL) == 3


def test_an_exception_ends_it_with_a_traceback_in_its_log(start: Start) -> None:
    fork = start(EXITS="no number")
    wait_until(lambda: fork.poll_exit() is not None)
    assert fork.poll_exit() == 1
    assert "ValueError: invalid literal" in fork.output()


def test_a_signal_reaches_the_one_fork_that_it_is_for(start: Start) -> None:
    one, other = start(), start()
    wait_until(lambda: has_written(one) and other.pid is not None)
    assert one.stop(signal.SIGTERM) == -signal.SIGTERM
    assert other.poll_exit() is None
    assert other.stop(signal.SIGKILL) == KILLED


def test_ps_and_top_show_the_name_of_the_program(start: Start) -> None:
    fork = start()
    wait_until(lambda: has_written(fork))
    assert Path(f"/proc/{fork.pid}/comm").read_text("utf-8") == "program\n"
    assert Path(f"/proc/{fork.output().split()[-1]}/comm").read_text("utf-8") == "fork_server\n"


def test_what_one_fork_was_given_is_in_no_other(start: Start) -> None:
    one = start(WORD="a password of one")
    wait_until(lambda: has_written(one))
    other = start()
    wait_until(lambda: other.output().count("\n") == 1)
    assert "None heavy" in other.output()
    assert other.pid is not None
    assert not holds(other.pid, b"a password " + b"of one")


def test_forks_die_with_their_server_and_the_next_one_gets_a_new_one(start: Start) -> None:
    fork = start()
    wait_until(lambda: has_written(fork))
    first = int(fork.output().split()[-1])
    os.kill(first, signal.SIGKILL)
    wait_until(lambda: fork.poll_exit() is not None)
    assert fork.poll_exit() == KILLED
    wait_until(lambda: not Path(f"/proc/{fork.pid}").exists())
    again = start()
    wait_until(lambda: has_written(again))
    assert int(again.output().split()[-1]) != first


def test_all_of_them_die_with_who_started_the_server(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text("import os, time\nprint(os.getpid(), flush=True)\ntime.sleep(600)", "utf-8")
    starter = """
        import os, time
        from pathlib import Path
        from tarsy_processes.forks import ForkServer
        server = ForkServer([], log=Path("server.log"), folder=Path.cwd(), environment=dict(os.environ))
        fork = server.start("program", log=Path("program.log"), environment=dict(os.environ))
        while not fork.output():
            time.sleep(0.01)
        print(fork.output(), flush=True)
        time.sleep(600)
    """
    one = ChildProcess(
        [sys.executable, "-c", textwrap.dedent(starter)],
        log=tmp_path / "starter.log",
        death_signal=signal.SIGKILL,
        folder=tmp_path,
        environment=dict(os.environ),
    )
    try:
        wait_until(lambda: one.output().endswith("\n") or one.poll_exit() is not None)
        pid = int(one.output())
        assert Path(f"/proc/{pid}").exists()
    finally:
        one.stop(signal.SIGKILL)
    wait_until(lambda: not Path(f"/proc/{pid}").exists())


def test_a_module_that_starts_a_thread_is_refused(tmp_path: Path) -> None:
    program = "import threading, time\nthreading.Thread(target=time.sleep, args=(600,), daemon=True).start()\n"
    (tmp_path / "threaded.py").write_text(program, "utf-8")
    server = ForkServer(["threaded"], log=tmp_path / "server.log", folder=tmp_path, environment=dict(os.environ))
    fork = server.start("threaded", log=tmp_path / "program.log", environment={})
    try:
        wait_until(lambda: fork.poll_exit() is not None)
        # The log is written by a process of its own.
        wait_until(lambda: "the imports have started 1 threads" in (tmp_path / "server.log").read_text("utf-8"))
    finally:
        server.stop()
        fork.stop(signal.SIGKILL)


def holds(pid: int, text: bytes) -> bool:
    """A text lies in the memory that the process may write to."""
    regions = Path(f"/proc/{pid}/maps").read_text("utf-8").splitlines()
    with Path(f"/proc/{pid}/mem").open("rb", 0) as memory:
        for region in regions:
            place, rights, *_ = region.split()
            if rights.startswith("rw"):
                begin, end = (int(one, 16) for one in place.split("-"))
                memory.seek(begin)
                if text in memory.read(end - begin):
                    return True
    return False
