"""The adversary of a soak: kills, freezes, cuts off, poisons and grows, one fault after the other.

It runs on the main thread, as the servers that it starts again end with the thread that started them.
"""

import os
import signal
import time
from collections.abc import Callable, Sequence
from typing import assert_never

from tarsy_cli.lab.soak.environment import SoakEnvironment
from tarsy_cli.lab.soak.schedule import Fault, Freeze, Growth, Kill, Planned, Poison, ServerOutage

type Pids = Sequence[int]


class Adversary:
    """`plant` and `grow` reach Kafka: the adversary itself has no client of it. `report` is told of each fault."""

    def __init__(
        self,
        running: SoakEnvironment,
        *,
        plant: Callable[[str], None],
        grow: Callable[[str], None],
        report: Callable[[float, str], None],
    ) -> None:
        self._running = running
        self._plant = plant
        self._grow = grow
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
                pid = self._pid(service, choice)
                return f"kill -9 {service}, process {pid}" if _send(pid, signal.SIGKILL) else f"no {service} to kill"
            case Freeze(service, choice, seconds):
                return self._freeze(service, choice, seconds)
            case ServerOutage(servers, how, seconds):
                self._interrupt(servers, how, seconds)
                return f"{' and '.join(servers)} {how} for {seconds:.0f} s"
            case Poison(topic):
                self._plant(topic)
                return f"poison in {topic}"
            case Growth(topic):
                self._grow(topic)
                return f"more partitions for {topic}"
            case _:
                assert_never(fault)

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
