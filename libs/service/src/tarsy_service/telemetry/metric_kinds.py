"""Kinds of metrics of one registry."""

from functools import partial

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram


class MetricKinds:
    """Makes metrics that `registry` has: each by its name, its meaning and its labels."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.counter = partial(Counter, registry=registry)
        self.gauge = partial(Gauge, registry=registry)
        self.histogram = partial(Histogram, registry=registry)
