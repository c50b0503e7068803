"""Metrics of writes to Kafka, of unparsable and of misplaced records: each once for all services of a process."""

from collections.abc import Callable, Iterable
from functools import cache, partial

from prometheus_client import CollectorRegistry, Counter, Histogram

from tarsy_service.telemetry.shared_metrics import get_or_create_metric

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 20)

type Wrote = Callable[[str, str, int, float], None]
"""Topic (without its prefix), outcome, records, seconds."""


def kafka_writes(registry: CollectorRegistry, service: str) -> Wrote:
    """Observer of the writes of a service. All services of a process share the registry, and so the metrics in it."""
    records = get_or_create_metric(
        registry,
        Counter,
        "tarsy_kafka_records_total",
        "Records given to Kafka, by outcome",
        ["service", "topic", "outcome"],
    )
    duration = get_or_create_metric(
        registry,
        Histogram,
        "tarsy_kafka_write_duration_seconds",
        "From a write to Kafka's word",
        ["service", "topic"],
        buckets=SECONDS,
    )
    # From zero: an increase from nothing to one is none for Prometheus, and these are what one waits for.
    records.labels(service, "dead-letters", "ok")

    records_of, duration_of = cache(partial(records.labels, service)), cache(partial(duration.labels, service))

    def wrote(topic: str, outcome: str, count: int, seconds: float) -> None:
        records_of(topic, outcome).inc(count)
        duration_of(topic).observe(seconds)

    return wrote


def unparsable_records(registry: CollectorRegistry, service: str, topics: Iterable[str]) -> Callable[[str], None]:
    """Observer of each record that the client library does not parse; it gets the topic.

    `topics`, that the service reads, count from zero: the first such record is one that an alert waits for.
    """
    name, words = "tarsy_kafka_unparsable_records_total", "Records or batches that could not be parsed"
    return _count_by_topic(registry, service, topics, name, words)


def count_misplaced_records(registry: CollectorRegistry, service: str, *topics: str) -> Callable[[str], None]:
    """Observer of each record that lies in a wrong partition; it gets the topic. `topics` count from zero."""
    words = "Records that a reader has left out, as they lie in the partition of another session"
    return _count_by_topic(registry, service, topics, "tarsy_kafka_misplaced_records_total", words)


def _count_by_topic(
    registry: CollectorRegistry, service: str, topics: Iterable[str], name: str, words: str
) -> Callable[[str], None]:
    records = get_or_create_metric(registry, Counter, name, words, ["service", "topic"])
    for topic in topics:
        records.labels(service, topic)
    return lambda topic: records.labels(service, topic).inc()
