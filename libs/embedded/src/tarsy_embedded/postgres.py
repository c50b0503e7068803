"""A real PostgreSQL as a child process."""

import signal
import time
from collections.abc import Generator, Iterator
from contextlib import suppress
from pathlib import Path
from typing import ClassVar

from tarsy_embedded.errors import NotReadyError
from tarsy_embedded.password_file import make_password_once, read_password
from tarsy_embedded.postgres_cluster import DATABASE, USER, create_once
from tarsy_embedded.postgres_home import ANYWHERE, ENVIRONMENT, PostgresHome
from tarsy_embedded.postgres_user import find_home
from tarsy_embedded.progress import Progress
from tarsy_embedded.server import EmbeddedServer
from tarsy_processes.child import ChildProcess
from tarsy_processes.errors import ProcessError

_READY_SECONDS = 120.0
_RETRY_SECONDS = 15.0

# Messages while processes of a killed predecessor are still dying.
_PREDECESSOR_DYING = ("pre-existing shared memory block", 'lock file "postmaster.pid" already exists')


class EmbeddedPostgres(EmbeddedServer):
    """One cluster with one database, on 127.0.0.1 only, with a random password.

    With `tests` it is faster, and survives a kill, but not a power cut.
    """

    name: ClassVar[str] = "PostgreSQL"
    # "Fast shutdown": SIGTERM would wait until every client has gone.
    stop_signal: ClassVar[signal.Signals] = signal.SIGINT

    def __init__(self, data_dir: Path, *, port: int, progress: Progress, tests: bool = False) -> None:
        super().__init__(data_dir, port=port, progress=progress)
        self._tests = tests

    @property
    def url(self) -> str:
        """Known once it was started for the first time."""
        return f"postgresql://{USER}:{read_password(self.data_dir)}@127.0.0.1:{self.port}/{DATABASE}"

    def _starting(self) -> Iterator[float]:
        home = find_home(self.data_dir, self._progress)
        self._progress("Starting PostgreSQL")
        cluster = create_once(home, make_password_once(self.data_dir), tests=self._tests)
        give_up = time.monotonic() + _RETRY_SECONDS
        while (failure := (yield from self._try_to_start(home, cluster))) is not None:
            if time.monotonic() > give_up or not self._predecessor_is_dying():
                raise failure
            yield 0.2
        self._progress(f"PostgreSQL is ready on 127.0.0.1:{self.port}")

    def _try_to_start(self, home: PostgresHome, cluster: Path) -> Generator[float, None, ProcessError | None]:
        self._stop_child()
        _remove_stale_pid_file(cluster)
        self._child = ChildProcess(
            [str(home.programs / "postgres"), "-D", str(cluster), *self._settings_arguments()],
            log=self.data_dir / "postgres.log",
            death_signal=self.stop_signal,
            lock=self._lock.descriptor,
            folder=ANYWHERE,
            run_as=home.run_as,
            environment=ENVIRONMENT,
        )
        deadline = time.monotonic() + _READY_SECONDS
        while time.monotonic() < deadline:
            if (failure := self.failure()) is not None:
                return failure
            if _is_ready(cluster, self._child.pid):
                return None
            yield 0.02
        return NotReadyError(self.name, _READY_SECONDS, self._child.log)

    def _settings_arguments(self) -> list[str]:
        settings = {
            "port": self.port,
            "listen_addresses": "127.0.0.1",
            "unix_socket_directories": "",
            "shared_buffers": "64MB",
            "max_connections": 60,
        }
        if self._tests:
            # Not synchronous_commit: what was committed has to survive a kill in tests too.
            settings |= {"fsync": "off", "full_page_writes": "off"}
        return [argument for name, value in settings.items() for argument in ("-c", f"{name}={value}")]

    def _predecessor_is_dying(self) -> bool:
        output = self._require_child().output()
        return any(saying in output for saying in _PREDECESSOR_DYING)


def _is_ready(cluster: Path, pid: int) -> bool:
    """As pg_ctl knows it: the postmaster writes its pid and, in the eighth line, its status."""
    lines = _pid_file_lines(cluster)
    return len(lines) >= 8 and lines[0] == str(pid) and lines[7].strip() == "ready"


def _pid_file_lines(cluster: Path) -> list[str]:
    with suppress(FileNotFoundError):
        return (cluster / "postmaster.pid").read_text(encoding="utf-8").splitlines()
    return []


def _remove_stale_pid_file(cluster: Path) -> None:
    """After a crash, the number in the file may by now be that of another program, and PostgreSQL would not start.

    We hold the lock, so no server of ours is left; one that somebody started by hand is respected.
    """
    lines = _pid_file_lines(cluster)
    if lines and not _is_postgres(lines[0]):
        (cluster / "postmaster.pid").unlink()


def _is_postgres(pid: str) -> bool:
    if not Path("/proc/self").exists():
        # Not Linux: leave the judgement to PostgreSQL.
        return True
    with suppress(FileNotFoundError):
        return Path("/proc", pid, "comm").read_text(encoding="utf-8").strip() == "postgres"
    return False
