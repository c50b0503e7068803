"""One server at a time on a data folder: a second one would ruin the first."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tarsy_embedded.errors import AlreadyRunningError

# The servers of an owner that was killed are given their own time to stop (30 s) before we give up on them.
_ORPHANS_SECONDS = 35.0


class DataLock:
    """A flock beside the data folder.

    The server inherits the descriptor, so the lock is held until the last of its processes is gone, whatever became
    of us. It is released by closing, never by unlocking: unlocking would take it from the server too.
    """

    def __init__(self, data_dir: Path) -> None:
        self._data_dir = data_dir
        self._path = data_dir.with_name(data_dir.name + ".lock")
        self._descriptor: int | None = None

    @property
    def descriptor(self) -> int:
        if self._descriptor is None:
            raise RuntimeError("the lock is not held")
        return self._descriptor

    def acquire_in_steps(self) -> Iterator[float]:
        """Yields the seconds to wait, while servers of an owner that was killed stop. Raises AlreadyRunningError."""
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            yield from self._wait_for_lock(descriptor)
        except BaseException:
            os.close(descriptor)
            raise
        _write_owner(descriptor, str(os.getpid()))
        self._descriptor = descriptor

    def release(self) -> None:
        if self._descriptor is None:
            return
        # No owner any more: who comes next waits for processes that still hold it instead of refusing.
        _write_owner(self._descriptor, "")
        os.close(self._descriptor)
        self._descriptor = None

    def _wait_for_lock(self, descriptor: int) -> Iterator[float]:
        deadline = time.monotonic() + _ORPHANS_SECONDS
        while not _try_lock(descriptor):
            owner = _read_owner(descriptor)
            if (owner is not None and _is_alive(owner)) or time.monotonic() > deadline:
                raise AlreadyRunningError(self._data_dir, owner)
            yield 0.05


@contextmanager
def one_at_a_time(path: Path) -> Iterator[None]:
    """Serialises the work: the second caller waits, and then finds it done."""
    with path.open("w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _write_owner(descriptor: int, owner: str) -> None:
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, owner.encode(), 0)


def _read_owner(descriptor: int) -> int | None:
    text = os.pread(descriptor, 20, 0).decode()
    return int(text) if text.isdecimal() else None


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
