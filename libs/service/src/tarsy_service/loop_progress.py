"""Progress of the long-lived loops of a service: what readiness and a metric follow.

A loop that began is not yet a loop that works. Each reports the end of every step; a loop without one for too long
makes its service unready, whatever it hangs on.
"""

import time
from collections.abc import Callable, Iterator, Mapping

STALLED_SECONDS = 60.0


class LoopProgress:
    """One loop. Its clock starts with the loop, and again with each step."""

    def __init__(self, name: str, stalled_after: float, monotonic: Callable[[], float], *, essential: bool) -> None:
        self.name = name
        self.essential = essential
        self._stalled_after = stalled_after
        self._monotonic = monotonic
        self._last_step = monotonic()

    def heartbeat(self) -> None:
        """The loop got through once more. A step that reached nothing (a broker that is away) is none."""
        self._last_step = self._monotonic()

    @property
    def idle_seconds(self) -> float:
        return self._monotonic() - self._last_step

    @property
    def stalled(self) -> bool:
        return self.idle_seconds > self._stalled_after


class ServiceLoops:
    """All loops of one service, by name. Names are few and fixed: they are labels of a metric."""

    def __init__(self, *, stalled_after: float | None = None, monotonic: Callable[[], float] = time.monotonic) -> None:
        """`stalled_after`: STALLED_SECONDS unless told."""
        self._stalled_after = STALLED_SECONDS if stalled_after is None else stalled_after
        self._monotonic = monotonic
        self._loops: dict[str, LoopProgress] = {}

    def begin(self, name: str, *, essential: bool = True) -> LoopProgress:
        """The loop begins, for the first time or again. Without one that is not essential the service is degraded."""
        self._loops[name] = LoopProgress(name, self._stalled_after, self._monotonic, essential=essential)
        return self._loops[name]

    def end(self, name: str) -> None:
        """The loop ended as it was asked to, such as that of a partition that moved elsewhere."""
        self._loops.pop(name, None)

    def idle_seconds(self) -> Mapping[str, float]:
        return {name: loop.idle_seconds for name, loop in self._loops.items()}

    def unready_reasons(self) -> Iterator[str]:
        return (_describe_idle_loop(loop) for loop in self._loops.values() if loop.stalled and loop.essential)

    def explain_degraded(self) -> Iterator[str]:
        return (_describe_idle_loop(loop) for loop in self._loops.values() if loop.stalled and not loop.essential)


def _describe_idle_loop(loop: LoopProgress) -> str:
    return f"{loop.name}: no progress for {loop.idle_seconds:.0f} seconds"
