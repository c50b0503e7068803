import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tarsy_embedded.jars import default_cache_dir
from tarsy_embedded.kafka import EmbeddedKafka
from tarsy_embedded.postgres import EmbeddedPostgres
from tarsy_processes.ports import free_port
from tarsy_testing.waiting import wait_until

type NewKafka = Callable[[], EmbeddedKafka]
type NewPostgres = Callable[[], EmbeddedPostgres]
type Eventually = Callable[[Callable[[], bool]], None]


@pytest.fixture(scope="session")
def cache_dir() -> Path:
    """The real one: 40 MB are not fetched for every run."""
    return default_cache_dir()


@pytest.fixture
def new_kafka(tmp_path: Path, cache_dir: Path) -> Iterator[NewKafka]:
    """Brokers on one data folder, each on a port of its own, stopped at the end if the test did not."""
    made: list[EmbeddedKafka] = []

    def make() -> EmbeddedKafka:
        made.append(EmbeddedKafka(tmp_path / "kafka", port=free_port(), cache_dir=cache_dir, progress=_quiet))
        return made[-1]

    yield make
    for kafka in made:
        kafka.stop()


@pytest.fixture
def new_postgres(tmp_path: Path) -> Iterator[NewPostgres]:
    made: list[EmbeddedPostgres] = []

    def make() -> EmbeddedPostgres:
        made.append(EmbeddedPostgres(tmp_path / "postgres", port=free_port(), progress=_quiet, tests=True))
        return made[-1]

    yield make
    for postgres in made:
        postgres.stop()


@pytest.fixture
def eventually() -> Eventually:
    return wait_until


@pytest.fixture
def is_running() -> Callable[[int], bool]:
    """Whether a process lives. A zombie does not: who should collect it may be slow."""

    def running(pid: int) -> bool:
        try:
            state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
        except FileNotFoundError:
            return False
        return state != "Z"

    return running


def _quiet(message: str) -> None:
    pass


@pytest.fixture
def kill() -> Callable[[int], None]:
    def kill_at_once(pid: int) -> None:
        os.kill(pid, signal.SIGKILL)

    return kill_at_once
