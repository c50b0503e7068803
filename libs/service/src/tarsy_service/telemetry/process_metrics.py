"""Metrics of every process: version, start, readiness."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from importlib.metadata import PackageNotFoundError, version

from prometheus_client import CollectorRegistry, Gauge, Info, Metric
from prometheus_client.exposition import generate_latest
from prometheus_client.gc_collector import GCCollector
from prometheus_client.platform_collector import PlatformCollector
from prometheus_client.process_collector import ProcessCollector
from prometheus_client.registry import Collector


class ProcessMetrics:
    def __init__(self, registry: CollectorRegistry, services: Sequence[str], waiting: Callable[[], list[str]]) -> None:
        """`waiting`: the services that do not do their work yet."""
        self._ready = Gauge(
            "tarsy_process_ready", "1 when the service does its work, else 0", ["service"], registry=registry
        )
        self._info = Info(
            "tarsy_process", "The services of this process, and their versions", ["service"], registry=registry
        )
        for name in services:
            self._ready.labels(name).set_function(partial(_is_ready, name, waiting))
            self._info.labels(name).info({"version": _version_of(name)})
        ProcessCollector(registry=registry)
        PlatformCollector(registry=registry)
        GCCollector(registry=registry)


class _Shown(Collector):
    """Leaves out the creation time of each series: it doubles the page, and nobody uses it."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._registry = registry

    def collect(self) -> Iterable[Metric]:
        for metric in self._registry.collect():
            metric.samples = [sample for sample in metric.samples if not sample.name.endswith("_created")]
            yield metric


def exposition(registry: CollectorRegistry) -> bytes:
    return generate_latest(_Shown(registry))


def _is_ready(service: str, waiting: Callable[[], list[str]]) -> float:
    return float(service not in waiting())


def _version_of(service: str) -> str:
    try:
        return version(f"tarsy-{service}")
    except PackageNotFoundError:
        return "unknown"
