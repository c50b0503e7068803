"""Runs of `make ground` share a machine: each has a number of its own, and the last to leave cleans up."""

import fcntl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from tarsy_embedded.lock import one_at_a_time

FOLDER = Path("/run/lock/tarsy-ground")
NUMBERS = 16


@contextmanager
def own_number(folder: Path = FOLDER) -> Iterator[int]:
    """One that nobody else has. The kernel gives it back when its process ends, however that is."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(NUMBERS):
        with (folder / f"{number}.lock").open("w", encoding="ascii") as lock:
            if _try_lock(lock, fcntl.LOCK_EX):
                yield number
                return
    raise RuntimeError(f"{NUMBERS} networks of tests are in use on this machine: `fuser {folder}/*.lock` says by whom")


@contextmanager
def shared_state(folder: Path, save: Callable[[], str], restore: Callable[[str], None]) -> Iterator[None]:
    """The first to come saves, and the last to leave restores that, also after a run that was killed."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "state").open("a+", encoding="ascii") as saved:
        with one_at_a_time(folder / "state.lock"):
            if _try_lock(saved, fcntl.LOCK_EX) and not _text(saved):
                saved.write(save())
                saved.flush()
            fcntl.flock(saved, fcntl.LOCK_SH)
        try:
            yield
        finally:
            with one_at_a_time(folder / "state.lock"):
                if _try_lock(saved, fcntl.LOCK_EX):
                    restore(_text(saved))
                    saved.truncate(0)


def _try_lock(file: TextIO, kind: int) -> bool:
    try:
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _text(file: TextIO) -> str:
    file.seek(0)
    return file.read()
