"""The adversary of a soak: kills, freezes, cuts off, poisons and grows, one fault after the other.

It runs on the main thread, as the servers that it starts again end with the thread that started them.
"""

import os
import signal
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import assert_never

from tarsy_soak.environment import SoakEnvironment
from tarsy_soak.faults import (
    EndlessAnswer,
    Fault,
    Freeze,
    Growth,
    HostileServers,
    Kill,
    Misplacement,
    Poison,
    ServerOutage,
)
from tarsy_soak.progress import Interval
from tarsy_soak.schedule import Planned

type Pids = Sequence[int]


@dataclass(frozen=True, slots=True)
class Doors:
    """How the adversary reaches Kafka and the API: it has no client of its own. Each may raise SoakError.

    `misplace` returns whether there was a record to misplace. `torment` sends the alert of a fault, and returns its
    session, or why nobody took it.
    """

    plant: Callable[[str], None]
    grow: Callable[[str], None]
    misplace: Callable[[Misplacement], bool]
    torment: Callable[[EndlessAnswer | HostileServers], str]


@dataclass
class Injected:
    """Injected faults that the verdict needs: Kafka's outages, the times of hostile servers, and kills."""

    outages: list[Interval] = field(default_factory=list)
    hostile: list[Interval] = field(default_factory=list)
    killed: Counter[str] = field(default_factory=Counter)


class Adversary:
    """`report` is told of each fault."""

    def __init__(self, running: SoakEnvironment, doors: Doors, *, report: Callable[[float, str], None]) -> None:
        self.injected = Injected()
        self._running = running
        self._doors = doors
        self._report = report

    def play(self, planned: Sequence[Planned], *, failed: Callable[[], bool]) -> None:
        """Returns after the last fault, or as soon as something else `failed`. Raises SoakError."""
        began = time.monotonic()
        for one in planned:
            while (left := began + one.at - time.monotonic()) > 0:
                if failed():
                    return
                time.sleep(min(left, 0.5))
            self._running.instance()
            self._report(time.monotonic() - began, self._inject(one.fault))

    def _inject(self, fault: Fault) -> str:
        """The fault that was injected, as a sentence."""
        match fault:
            case Kill(service, choice):
                return self._kill(service, choice)
            case Freeze(service, choice, seconds):
                return self._freeze(service, choice, seconds)
            case ServerOutage(servers, how, seconds):
                self._interrupt(servers, how, seconds)
                return f"{' and '.join(servers)} {how} for {seconds:.0f} s"
            case Poison(topic):
                self._doors.plant(topic)
                return f"poison in {topic}"
            case Growth(topic):
                self._doors.grow(topic)
                return f"more partitions for {topic}"
            case Misplacement(topic, way):
                done = self._doors.misplace(fault)
                return f"a record of {topic} {way}" if done else f"no record of {topic} to be {way}"
            case EndlessAnswer(kind):
                return f"an answer without end ({kind}): {self._doors.torment(fault)}"
            case HostileServers():
                return self._serve_hostile(fault)
            case _:
                assert_never(fault)

    def _kill(self, service: str, choice: float) -> str:
        pid = self._pid(service, choice)
        if not _send(pid, signal.SIGKILL):
            return f"no {service} to kill"
        self.injected.killed[service] += 1
        return f"kill -9 {service}, process {pid}"

    def _serve_hostile(self, fault: HostileServers) -> str:
        began = time.time()
        self._running.configuration.write(fault.kinds)
        try:
            session = self._doors.torment(fault)
            time.sleep(fault.seconds)
        finally:
            self._running.configuration.write()
            self.injected.hostile.append(Interval(began, time.time()))
        return f"hostile servers for {fault.seconds:.0f} s ({', '.join(fault.kinds)}): {session}"

    def _freeze(self, service: str, choice: float, seconds: float) -> str:
        pid = self._pid(service, choice)
        if not _send(pid, signal.SIGSTOP):
            return f"no {service} to freeze"
        try:
            time.sleep(seconds)
        finally:
            _send(pid, signal.SIGCONT)
        return f"{service} frozen for {seconds:.0f} s, process {pid}"

    def _interrupt(self, servers: Sequence[str], how: str, seconds: float) -> None:
        began = time.time()
        stopped = [self._running.server(name) for name in servers]
        for server in stopped:
            _send(server.pid, signal.SIGKILL if how == "killed" else signal.SIGSTOP)
        try:
            time.sleep(seconds)
        finally:
            for server in stopped:
                if how == "killed":
                    server.stop()
                    server.start()
                else:
                    _send(server.pid, signal.SIGCONT)
            if "kafka" in servers:
                self.injected.outages.append(Interval(began, time.time()))

    def _pid(self, service: str, choice: float) -> int | None:
        processes = self._running.instance().processes
        pids = [one.pid for one in processes if one.service == service and one.pid is not None]
        return pids[min(int(choice * len(pids)), len(pids) - 1)] if pids else None


def _send(pid: int | None, number: signal.Signals) -> bool:
    """False when there is no such process (any more)."""
    if pid is None:
        return False
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return False
    return True
