"""What runs in a folder: one TARSy, told by a lock that it holds and a file that says where everything is."""

import fcntl
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from pydantic import BaseModel


class Process(BaseModel):
    service: str
    pid: int


class Instance(BaseModel):
    """`database` holds the password of the local server: the file can be read by its owner only."""

    state: Literal["starting", "ready"]
    pid: int
    kafka: str = ""
    database: str = ""
    api: str = ""
    websocket: str = ""
    metrics: str = ""
    log: str = ""
    processes: list[Process] = []


class AlreadyRunning(Exception):
    """Another `tarsy up` holds the folder."""


class Home:
    """The folder `.tarsy`: data, logs, and the instance that runs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._file = folder / "instance.json"
        self._lock = folder / "instance.lock"

    @contextmanager
    def held(self) -> Iterator[None]:
        """Raises AlreadyRunning. The kernel frees the lock, however the process ends."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with self._lock.open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise AlreadyRunning from None
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

    def running(self) -> Instance | None:
        """What runs here, or starts; None when nothing holds the lock."""
        if not self._lock.exists() or not self._file.exists():
            return None
        with self._lock.open("r") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                try:
                    return Instance.model_validate_json(self._file.read_bytes())
                except FileNotFoundError:
                    return None
        return None

    def stop(self, instance: Instance) -> None:
        os.kill(instance.pid, signal.SIGTERM)
