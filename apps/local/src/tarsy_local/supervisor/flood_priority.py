"""Priority of accepting alerts over investigating, while they come in a flood (`tarsy up --processes`).

Each service leads a session of its own, and most Linux kernels share the processors among sessions (`autogroup` in
sched(7)). While the ingests use much of a core, services that investigate get a ninth of their share. At all other
times the shares are equal. On a busy machine, investigations with a small share would wait until their calls time out.
"""

import asyncio
import errno
import os
import time
from collections.abc import Callable, Collection
from pathlib import Path

import structlog

log = structlog.get_logger(__name__)

LOOK_SECONDS = 0.25
FLOOD_CORES = 0.2
"""Part of a core that the ingests use together from which on alerts are a flood: some hundred a second."""
CALM_SECONDS = 3.0
FLOOD_NICENESS = 10
PROC = Path("/proc")
TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")

type Pids = Callable[[], Collection[int]]


class FloodGauge:
    """Whether alerts come in a flood, by the processor seconds that their ingests have used."""

    def __init__(self) -> None:
        self._used: float | None = None
        self._looked_at = 0.0
        self._until = 0.0

    def is_flood(self, used: float, now: float) -> bool:
        """`used`: by all ingests since they began, as of `now` on a monotonic clock."""
        if self._used is not None and used - self._used >= FLOOD_CORES * (now - self._looked_at):
            self._until = now + CALM_SECONDS
        self._used, self._looked_at = used, now
        return now < self._until


class SessionPriorities:
    """Niceness of the sessions that some processes lead. `usual` is the one that they begin with."""

    def __init__(self, usual: int, proc: Path = PROC) -> None:
        self._usual = usual
        self._proc = proc
        self._given: dict[int, int] = {}

    def set(self, pids: Collection[int], niceness: int) -> None:
        """The kernel takes one change in a tenth of a second: those that it refuses are made by the next call."""
        self._given = {pid: given for pid, given in self._given.items() if pid in pids}
        for pid in pids:
            if self._given.get(pid, self._usual) == niceness:
                continue
            try:
                (self._proc / f"{pid}/autogroup").write_text(str(niceness), "utf-8")
            except OSError as problem:
                if problem.errno == errno.EAGAIN:
                    return
                log.info("priority.not_set", process=pid, niceness=niceness, reason=problem.strerror)
            self._given[pid] = niceness


async def put_floods_first(accepting: Pids, investigating: Pids, *, usual: int, proc: Path = PROC) -> None:
    """For ever, or until the kernel turns out to share the processors in another way."""
    if not _has_autogroups(proc):
        return
    gauge, priorities = FloodGauge(), SessionPriorities(usual, proc)
    while True:
        used = sum(processor_seconds(pid, proc) for pid in accepting())
        is_flood = gauge.is_flood(used, time.monotonic())
        priorities.set(investigating(), max(usual, FLOOD_NICENESS) if is_flood else usual)
        await asyncio.sleep(LOOK_SECONDS)


def processor_seconds(pid: int, proc: Path = PROC) -> float:
    """Processor time of one process since it began; 0 of one that has ended."""
    try:
        fields = (proc / f"{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    except OSError:
        return 0.0
    user, system = fields[11:13]
    return (int(user) + int(system)) / TICKS_A_SECOND


def _has_autogroups(proc: Path) -> bool:
    """A process of the first session, and one in a control group of its own, is in no such group."""
    try:
        return bool((proc / "self/autogroup").read_text("utf-8"))
    except OSError:
        return False
