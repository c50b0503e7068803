"""What the projector counts."""

from prometheus_client import CollectorRegistry, Counter, Gauge


class Metrics:
    def __init__(self, registry: CollectorRegistry) -> None:
        self._projected = Counter(
            "tarsy_timeline_events_projected_total", "Accepted events written to the tables", registry=registry
        )
        self._dropped = Counter(
            "tarsy_timeline_records_dropped_total", "Records of the log that did not count", registry=registry
        )
        self._lag = Gauge(
            "tarsy_timeline_lag_records", "Records of the log not projected yet", ["partition"], registry=registry
        )

    def projected(self, partition: int, *, accepted: int, dropped: int, lag: int) -> None:
        self._projected.inc(accepted)
        self._dropped.inc(dropped)
        self._lag.labels(str(partition)).set(lag)
