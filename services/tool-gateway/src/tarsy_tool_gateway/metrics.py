"""What is counted. Labels are names of configured servers and outcomes: never anything that a request could invent."""

from collections.abc import Collection

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

SECONDS = (0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300)
OTHER = "other"


class Metrics:
    def __init__(self, registry: CollectorRegistry, servers: Collection[str]) -> None:
        self._servers = frozenset(servers)
        self._calls = Counter(
            "tarsy_tool_calls_total", "Calls that ended, by outcome", ["server", "outcome"], registry=registry
        )
        self._seconds = Histogram(
            "tarsy_tool_call_seconds", "How long calls took", ["server"], buckets=SECONDS, registry=registry
        )
        self._held = Gauge("tarsy_tool_calls_held", "Claims that wait for a grant", ["server"], registry=registry)
        self._queued = Gauge("tarsy_tool_calls_queued", "Calls that wait for a place", ["server"], registry=registry)

    @property
    def servers(self) -> frozenset[str]:
        return self._servers

    def ended(self, server: str, outcome: str, seconds: float) -> None:
        label = server if server in self._servers else OTHER
        self._calls.labels(label, outcome).inc()
        self._seconds.labels(label).observe(seconds)

    def waiting(self, server: str, *, held: int, queued: int) -> None:
        self._held.labels(server).set(held)
        self._queued.labels(server).set(queued)
