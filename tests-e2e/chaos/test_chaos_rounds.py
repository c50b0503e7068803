"""The moment at which a chaos test takes TARSy for whole again after it killed a process."""

from collections.abc import Sequence
from pathlib import Path

from tarsy_chaos.lives import ProcessDeath
from tarsy_chaos.rounds import until_healthy
from tarsy_local.instance import Home, Instance, Process

KILLED, NEXT = 11, 12
UNNOTICED = Process(service="ingest", pid=KILLED)
WAITING = Process(service="ingest", pid=None, state="waiting")
STARTING = Process(service="ingest", pid=NEXT, state="starting", restarts=1)
REPLACED = Process(service="ingest", pid=NEXT, restarts=1)


class Seen(Home):
    """A home in which each look sees the next of `processes`."""

    def __init__(self, processes: Sequence[Process]) -> None:
        super().__init__(Path())
        self._looks = iter(processes)

    def find_running(self) -> Instance:
        return Instance(state="ready", pid=1, processes=[next(self._looks)])


async def test_a_killed_process_that_is_still_called_ready_is_waited_for() -> None:
    home = Seen([UNNOTICED, UNNOTICED, WAITING, STARTING, REPLACED])
    assert (await until_healthy(home, [ProcessDeath(KILLED)])).processes == [REPLACED]


async def test_without_a_death_what_is_called_ready_counts() -> None:
    assert (await until_healthy(Seen([UNNOTICED]))).processes == [UNNOTICED]
    assert (await until_healthy(Seen([UNNOTICED]), [ProcessDeath()])).processes == [UNNOTICED]
