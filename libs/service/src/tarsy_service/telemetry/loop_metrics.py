"""Prometheus metric of the progress of a process's long-lived loops."""

from collections.abc import Iterator, Mapping

from prometheus_client import CollectorRegistry
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from tarsy_service.loop_progress import ServiceLoops


class LoopMetrics(Collector):
    """A series for each loop that runs."""

    def __init__(self, registry: CollectorRegistry, services: Mapping[str, ServiceLoops]) -> None:
        self._services = services
        registry.register(self)

    def collect(self) -> Iterator[Metric]:
        family = GaugeMetricFamily(
            "tarsy_process_loop_idle_seconds",
            "How long ago a long-lived loop of the service made its last step",
            labels=["service", "loop"],
        )
        for service, loops in self._services.items():
            for name, seconds in loops.idle_seconds().items():
                family.add_metric([service, name], seconds)
        yield family
