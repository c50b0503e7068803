"""Metrics that all services of a process share, with the service as a label."""

from collections.abc import Sequence

from prometheus_client import CollectorRegistry
from prometheus_client.metrics import MetricWrapperBase


def get_or_create_metric[M: MetricWrapperBase](
    registry: CollectorRegistry, kind: type[M], name: str, meaning: str, labels: Sequence[str], **more: object
) -> M:
    """The metric of this name: made by the first service that asks. A registry has no public way to ask what it has."""
    known = registry._names_to_collectors.get(name)
    if isinstance(known, kind):
        return known
    return kind(name, meaning, labels, registry=registry, **more)  # type: ignore[arg-type]
