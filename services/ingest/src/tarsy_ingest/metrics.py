"""What the ingest counts."""

from prometheus_client import CollectorRegistry, Counter


class Metrics:
    """`result` is queued, resolved, refused, dead_letter or not_written."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.alerts = Counter(
            "tarsy_ingest_alerts_total",
            "Alerts by how they came and what became of them",
            ["source", "result"],
            registry=registry,
        )
        self.dead_letters = Counter(
            "tarsy_ingest_dead_letters_total", "Records of the alerts topic that could not be read", registry=registry
        )

    def count(self, source: str, result: str) -> None:
        self.alerts.labels(source=source, result=result).inc()
