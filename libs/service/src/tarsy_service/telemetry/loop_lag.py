"""Event loop lag: how late the loop of a process wakes what waits for the clock.

Computation on the loop holds up everything else in the process. The histogram shows it, and a log line names the
process and the time when it was long.
"""

import asyncio
import time
from collections.abc import Callable

import structlog
from prometheus_client import CollectorRegistry, Histogram

log = structlog.get_logger(__name__)

LOOK_SECONDS = 0.1
"""Each look wakes an idle process, which costs it 0.2 ms. A computation of twice as long is always seen."""
HELD_SECONDS = 0.1
"""Nothing of ours may hold a loop for longer."""
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)


class LoopLag:
    """`cpu_seconds` is the process's: on a busy machine a loop is late though nobody held it."""

    def __init__(
        self,
        registry: CollectorRegistry,
        *,
        monotonic: Callable[[], float] = time.monotonic,
        cpu_seconds: Callable[[], float] = time.thread_time,
    ) -> None:
        self._monotonic = monotonic
        self._cpu_seconds = cpu_seconds
        self._lag = Histogram(
            "tarsy_process_loop_lag_seconds",
            "How late the event loop woke a task that waited for the clock",
            buckets=BUCKETS,
            registry=registry,
        )
        self._held = Histogram(
            "tarsy_process_loop_held_seconds",
            "CPU that the event loop's thread used between two looks of the watchdog: what held the loop",
            buckets=BUCKETS,
            registry=registry,
        )

    async def watch(self) -> None:
        """Measures until it is cancelled."""
        while True:
            due, used = self._monotonic() + LOOK_SECONDS, self._cpu_seconds()
            await asyncio.sleep(LOOK_SECONDS)
            self.observe(lag=max(0.0, self._monotonic() - due), held=self._cpu_seconds() - used)

    def observe(self, *, lag: float, held: float) -> None:
        """`held` counts only while the loop was late: many short tasks use CPU too, and hold nobody up."""
        self._lag.observe(lag)
        self._held.observe(min(lag, held))
        if min(lag, held) > HELD_SECONDS:
            log.warning("loop.held", lag_seconds=round(lag, 3), cpu_seconds=round(held, 3))
