"""Gate before the HTTP doors: an alert is answered soon, and at once while Kafka takes nothing."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from tarsy_bus.client.publisher import NotWrittenError
from tarsy_bus.metrics import WriteOutcome, Wrote
from tarsy_contracts.alert import AlertSource
from tarsy_ingest.metrics import Metrics
from tarsy_service.process.alerts_under_way import AlertsUnderWay

ANSWER_SECONDS = 5.0
"""Alertmanager gives up after ten."""
WRITE_SECONDS = 4.0
"""Limit of one write: less, so that it is the write that fails, and its producer is replaced where it has to be."""
PROBE_SECONDS = 1.0
"""While the last write failed, one request in so many seconds is let through, to find out whether Kafka is back."""


class WriteGate:
    """Knows how the last write of this process ended. It decides nothing: a request that is sent away comes again."""

    def __init__(
        self,
        metrics: Metrics,
        now: Callable[[], float] = time.monotonic,
        under_way: AlertsUnderWay | None = None,
    ) -> None:
        self._metrics = metrics
        self._under_way = under_way or AlertsUnderWay()
        self._now = now
        self._next_probe: float | None = None
        self._acknowledged = 0

    def wrap_observer(self, wrote: Wrote) -> Wrote:
        """An observer of writes that this gate learns from, too."""

        def observe(topic: str, outcome: WriteOutcome, records: int, seconds: float) -> None:
            wrote(topic, outcome, records, seconds)
            match outcome:
                case "ok":
                    self._next_probe = None
                    self._acknowledged += 1
                case "not_written" | "uncertain":
                    self._shut_until_probe()
                case "too_large":
                    pass

        return observe

    @asynccontextmanager
    async def admitted(self, source: AlertSource) -> AsyncIterator[None]:
        """For what a request writes. Raises NotWrittenError at once while the gate is shut, and after the limit.

        A request that comes to its limit while Kafka acknowledges, be it alerts of others, shuts it for nobody: it has
        too many. A write that fails shuts it by itself.
        """
        if self._next_probe is not None:
            if self._now() < self._next_probe:
                self._metrics.count(source, "turned_away")
                raise NotWrittenError("the last write failed")
            self._shut_until_probe()
        before = self._acknowledged
        try:
            with self._under_way.one():
                async with asyncio.timeout(ANSWER_SECONDS):
                    yield
        except TimeoutError:
            if self._acknowledged == before:
                self._shut_until_probe()
            self._metrics.count(source, "not_written")
            raise NotWrittenError(f"not acknowledged within {ANSWER_SECONDS} s") from None

    def _shut_until_probe(self) -> None:
        """Counted from now on, however many fail at once: the probes stay apart."""
        self._next_probe = self._now() + PROBE_SECONDS
