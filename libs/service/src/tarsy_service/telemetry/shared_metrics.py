"""Metrics of a registry, where prometheus_client has no public way to them. Its private parts are read here alone."""

from collections.abc import Iterator, Sequence

from prometheus_client import CollectorRegistry
from prometheus_client.core import Metric
from prometheus_client.metrics import MetricWrapperBase


def get_or_create_metric[M: MetricWrapperBase](
    registry: CollectorRegistry, kind: type[M], name: str, meaning: str, labels: Sequence[str], **more: object
) -> M:
    """The metric of this name. The first service of a process that asks has made it, and all share it."""
    # A metric that is made twice raises, and nothing public tells whether it is there.
    known = registry._names_to_collectors.get(name)
    if isinstance(known, kind):
        return known
    return kind(name, meaning, labels, registry=registry, **more)  # type: ignore[arg-type]


def describe_metrics(registry: CollectorRegistry) -> Iterator[tuple[Metric, tuple[str, ...]]]:
    """The metrics that were made in the registry, in order, each with the names of its labels."""
    # `collect` says nothing of the labels of what has no sample yet.
    for collector in registry._collector_to_names:
        if isinstance(collector, MetricWrapperBase):
            (family,) = collector.describe()
            yield family, (*collector._labelnames, *(("version",) if family.type == "info" else ()))
        else:
            yield from ((family, tuple(family.samples[0].labels)) for family in collector.collect() if family.samples)
