import fcntl
import os
from pathlib import Path

import pytest

from tarsy_embedded.errors import AlreadyRunningError
from tarsy_embedded.lock import DataLock


def test_the_wait_for_servers_of_a_killed_owner_is_the_callers(tmp_path: Path) -> None:
    with (tmp_path / "data.lock").open("w", encoding="ascii") as orphans:
        fcntl.flock(orphans, fcntl.LOCK_EX)
        lock = DataLock(tmp_path / "data")
        steps = lock.acquire_in_steps()
        assert next(steps) > 0
        assert next(steps) > 0
        fcntl.flock(orphans, fcntl.LOCK_UN)
        assert list(steps) == []
        assert lock.descriptor > 0
    lock.release()


def test_nobody_waits_for_an_owner_that_lives(tmp_path: Path) -> None:
    owner = DataLock(tmp_path / "data")
    assert list(owner.acquire_in_steps()) == []
    with pytest.raises(AlreadyRunningError, match=str(os.getpid())):
        next(iter(DataLock(tmp_path / "data").acquire_in_steps()), None)
    owner.release()
