"""The instance of a folder: one TARSy, with a lock that it holds and a file that says where everything is."""

import fcntl
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Literal

from pydantic import BaseModel, Field

from tarsy_local.errors import LocalError
from tarsy_local.private_folder import make_private
from tarsy_local.ready_answer import Readiness
from tarsy_timeline.database.url import without_password

READERS_SECONDS = 1.0
LOOK_SECONDS = 0.02
API = "/api/v1"
LINE = "  {:18}  {:>3}  {:>8}  {:9}  {:>8}  {}"


class Process(BaseModel):
    """`instance` counts the processes of one service. While one waits to be started again it has no pid.

    `state` is what its supervisor knows, `readiness` what it said when `tarsy status` asked it.
    """

    service: str
    instance: int = 1
    pid: int | None
    http: str = ""
    state: Literal["starting", "ready", "waiting", "stopping", "stopped"] = "ready"
    restarts: int = 0
    log: str = ""
    readiness: Readiness | None = None

    def line(self) -> str:
        shown = (self.readiness or self.state).replace("_", " ") if self.state == "ready" else self.state
        return LINE.format(self.service, self.instance, self.pid or "-", shown, self.restarts, self.http)


class Instance(BaseModel):
    """`database` holds the password of a server of our own, never that of another: the file is its owner's only.
    `kafka_password_file` names the file with that of our own Kafka. `config_dir`: the folder of its tarsy.yaml.
    """

    state: Literal["stopped", "starting", "ready", "stopping"]
    pid: int | None
    kafka: str = ""
    kafka_password_file: str = ""
    database: str = Field("", repr=False)
    api: str = ""
    websocket: str = ""
    metrics: str = ""
    log: str = ""
    topic_prefix: str = ""
    config_dir: str = ""
    scripted: bool = False
    models: list[str] = []
    processes: list[Process] = []

    @property
    def address(self) -> str:
        """The page's; empty before it is known."""
        return self.api.removesuffix(API)

    def lines(self) -> list[str]:
        return ["TARSy is ready", *self.details()]

    def details(self) -> list[str]:
        """Where everything is, for a person. Passwords stay out of it."""
        own = any(process.service == "postgresql" for process in self.processes)
        model = "scripted: its answers come from a file, no model is asked" if self.scripted else ", ".join(self.models)
        return [
            f"  page        {self.address}/",
            f"  API         {self.api}",
            f"  WebSocket   {self.websocket}",
            f"  metrics     {self.metrics}",
            f"  Kafka       {self.kafka}"
            + (f"  (password: {self.kafka_password_file})" if self.kafka_password_file else ""),
            f"  PostgreSQL  {without_password(self.database)}"
            + ("  (`tarsy status --json` has the password)" if own else ""),
            f"  log         {self.log}",
            *self._process_lines(),
            f"  model       {model}",
            "`make demo` in a second terminal sends an alert. Ctrl-C stops everything; the data stays.",
        ]

    def _process_lines(self) -> list[str]:
        """Nothing where all services run in one."""
        services = [process for process in self.processes if process.http]
        if not services:
            return []
        return [
            "  processes   each has /metrics of its own",
            LINE.format("service", "no.", "pid", "state", "restarts", "address").rstrip(),
            *(process.line().rstrip() for process in self.processes),
        ]


class HomeInUseError(LocalError):
    """Another `tarsy up` holds the folder. The operator stops it, or names another folder."""


STOPPED = Instance(state="stopped", pid=None)


class Home:
    """The folder `.tarsy`: data, logs, and the instance that runs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.absolute()
        self.logs = self.folder / "logs"
        self._file = self.folder / "instance.json"
        self._lock = self.folder / "instance.lock"

    @contextmanager
    def occupied_by_new_instance(self) -> Iterator[None]:
        """On record as starting; as stopped after the body. Raises HomeInUseError.

        The kernel frees the lock, however the process ends.
        """
        make_private(self.folder)
        with self._lock.open("a") as lock:
            _wait_for_lock(lock)
            self.write(Instance(state="starting", pid=os.getpid()))
            try:
                yield
            finally:
                self._file.unlink(missing_ok=True)

    def write(self, instance: Instance) -> None:
        new = self._file.with_suffix(".new")
        new.touch(mode=0o600)
        new.write_text(instance.model_dump_json(indent=2), encoding="utf-8")
        new.replace(self._file)

    def find_running(self) -> Instance | None:
        """The instance that runs here, or starts; None when nothing holds the lock."""
        if not self._lock.exists() or not self._file.exists():
            return None
        with self._lock.open("r") as lock:
            if _try_lock(lock, fcntl.LOCK_SH):
                return None
        try:
            return Instance.model_validate_json(self._file.read_bytes())
        except FileNotFoundError:
            return None

    def stop(self, instance: Instance) -> None:
        if instance.pid is not None:
            with suppress(ProcessLookupError):
                os.kill(instance.pid, signal.SIGTERM)


def _wait_for_lock(lock: IO[str]) -> None:
    """Waits for readers: a look whether something runs holds the lock, too, for a moment. Raises HomeInUseError."""
    limit = time.monotonic() + READERS_SECONDS
    while not _try_lock(lock, fcntl.LOCK_EX):
        if time.monotonic() > limit:
            raise HomeInUseError
        time.sleep(LOOK_SECONDS)


def _try_lock(lock: IO[str], kind: int) -> bool:
    try:
        fcntl.flock(lock, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
