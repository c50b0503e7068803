"""Whatever becomes of us, no server is left behind."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tarsy_embedded.errors import AlreadyRunningError
from tarsy_embedded.kafka import EmbeddedKafka
from tarsy_embedded.postgres import EmbeddedPostgres
from tarsy_processes.ports import free_port

type NewKafka = Callable[[], EmbeddedKafka]
type NewPostgres = Callable[[], EmbeddedPostgres]
type Eventually = Callable[[Callable[[], bool]], None]

OWNER = """
import sys
from pathlib import Path
from tarsy_processes import child
from tarsy_embedded.kafka import EmbeddedKafka
from tarsy_embedded.postgres import EmbeddedPostgres

folder, cache_dir, kafka_port, postgres_port, kernel_tells = sys.argv[1:]
child._kernel_tells = lambda: kernel_tells == "True"
kafka = EmbeddedKafka(Path(folder, "kafka"), port=int(kafka_port), cache_dir=Path(cache_dir), progress=lambda _: None)
postgres = EmbeddedPostgres(Path(folder, "postgres"), port=int(postgres_port), progress=lambda _: None)
kafka.start()
postgres.start()
sys.stdout.write(f"{kafka.pid} {postgres.pid}\\n")
sys.stdout.flush()
sys.stdin.read()
"""


class Owner:
    """Another Python process that runs both servers."""

    def __init__(self, folder: Path, cache_dir: Path, *, kernel_tells: bool) -> None:
        ports = [str(free_port()), str(free_port())]
        command = [sys.executable, "-c", OWNER, str(folder), str(cache_dir), *ports, str(kernel_tells)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.servers = [int(pid) for pid in self.process.stdout.readline().split()]
        assert len(self.servers) == 2

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()


@pytest.mark.parametrize("kernel_tells", [True, False], ids=["told by the kernel", "told by the watchdog"])
def test_both_servers_with_all_their_processes_go_when_we_are_killed(
    kernel_tells: bool, tmp_path: Path, cache_dir: Path, eventually: Eventually, is_running: Callable[[int], bool]
) -> None:
    owner = Owner(tmp_path, cache_dir, kernel_tells=kernel_tells)
    # Some backends of PostgreSQL start after it takes connections.
    eventually(lambda: len(processes_of(owner)) > 2 + 3)
    processes = processes_of(owner)
    owner.kill()
    eventually(lambda: not any(is_running(pid) for pid in processes))


def test_who_comes_right_after_a_killed_owner_waits_for_its_servers_to_end(
    tmp_path: Path, cache_dir: Path, new_kafka: NewKafka, new_postgres: NewPostgres
) -> None:
    owner = Owner(tmp_path, cache_dir, kernel_tells=True)
    owner.kill()
    with new_kafka() as kafka, new_postgres() as postgres:
        assert (kafka.poll_exit(), postgres.poll_exit()) == (None, None)


def test_another_process_that_runs_them_is_named(tmp_path: Path, cache_dir: Path, new_kafka: NewKafka) -> None:
    owner = Owner(tmp_path, cache_dir, kernel_tells=True)
    try:
        with pytest.raises(AlreadyRunningError, match=f"process {owner.process.pid} already runs a server"):
            new_kafka().start()
    finally:
        owner.kill()


def test_no_watchdog_outlives_an_orderly_stop(
    new_postgres: NewPostgres, monkeypatch: pytest.MonkeyPatch, eventually: Eventually
) -> None:
    monkeypatch.setattr("tarsy_processes.child._kernel_signals_death", lambda: False)
    with new_postgres() as postgres:
        marker = str(postgres.data_dir)
        assert len(launchers(marker)) == 1
    eventually(lambda: launchers(marker) == [])


def processes_of(owner: Owner) -> list[int]:
    return [pid for server in owner.servers for pid in [server, *children_of(server)]]


def children_of(parent: int) -> list[int]:
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(parent)], capture_output=True, text=True, check=False)
    return [int(pid) for pid in found.stdout.split()]


def launchers(argument: str) -> list[int]:
    """Processes that are still our launcher, and were given that argument."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            line = (process / "cmdline").read_text(encoding="utf-8").split("\0")
        except FileNotFoundError:
            continue
        if any("launcher.py" in word for word in line) and argument in " ".join(line):
            found.append(int(process.name))
    return found
