"""Times of the hops of an iteration: from the end of a model's answer to its next question, where did it wait?"""

import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Literal, get_args

from prometheus_client import CollectorRegistry, Histogram

from tarsy_service.telemetry.shared_metrics import get_or_create_metric

type Hop = Literal["report", "decide", "append", "read_back", "queue", "claim", "run"]
HOPS: tuple[Hop, ...] = get_args(Hop.__value__)
HOP_SECONDS = "tarsy_process_hop_seconds"
BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.02, 0.04, 0.08, 0.15, 0.3, 1, 5, 30)
MEANING = (
    "Time of a hop of an iteration: a report from its writing until its owner has read it, decide until the log is "
    "written to, append until Kafka has it, read_back until the owner has it, queue from a request to its worker, "
    "claim until it may run, run until its result is there"
)


class HopTimes:
    """One for each service. The services of a process share the metric."""

    def __init__(
        self,
        registry: CollectorRegistry,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._now = now
        self.monotonic = monotonic
        histogram = get_or_create_metric(registry, Histogram, HOP_SECONDS, MEANING, ["hop"], buckets=BUCKETS)
        self._of = {hop: histogram.labels(hop) for hop in HOPS}

    def observe(self, hop: Hop, seconds: float) -> None:
        self._of[hop].observe(max(0.0, seconds))

    def observe_since(self, hop: Hop, stamp: datetime) -> None:
        """`stamp`: when another process wrote it, by its clock."""
        self.observe(hop, (self._now() - stamp).total_seconds())

    async def time_work[T](self, hop: Hop, work: Awaitable[T]) -> T:
        with self.time(hop):
            return await work

    @contextmanager
    def time(self, hop: Hop) -> Iterator[None]:
        """Measures the body, if it comes to its end."""
        began = self.monotonic()
        yield
        self.observe(hop, self.monotonic() - began)
