"""What is counted."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

SECONDS = (0.5, 1, 2, 5, 10, 30, 60, 120, 300)


class Metrics:
    def __init__(self, registry: CollectorRegistry) -> None:
        self._ended = Counter(
            "tarsy_summaries_total", "Summaries that ended, by outcome", ["outcome"], registry=registry
        )
        self._seconds = Histogram(
            "tarsy_summary_seconds", "How long summaries took", buckets=SECONDS, registry=registry
        )
        self._running = Gauge("tarsy_summaries_running", "Summaries being written", registry=registry)

    def ended(self, outcome: str, seconds: float) -> None:
        self._ended.labels(outcome).inc()
        self._seconds.observe(seconds)

    def running(self, count: int) -> None:
        self._running.set(count)
