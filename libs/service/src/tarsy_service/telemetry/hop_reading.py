"""Times of hops, read from the pages of metrics of all processes."""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from prometheus_client.parser import text_string_to_metric_families

from tarsy_service.telemetry.hop_metrics import HOP_SECONDS, HOPS

__all__ = ["HOPS", "quantile", "sum_buckets"]


def sum_buckets(pages: Iterable[str]) -> dict[str, dict[float, float]]:
    """How many hops took at most so long, by hop, of all processes. Hops that nobody has measured are left out."""
    found: defaultdict[str, defaultdict[float, float]] = defaultdict(lambda: defaultdict(float))
    for page in pages:
        for hop, limit, count in _buckets_of(page):
            found[hop][limit] += count
    return {hop: dict(buckets) for hop, buckets in found.items() if buckets[math.inf] > 0}


def quantile(buckets: Mapping[float, float], part: float) -> float:
    """The limit below which so many lie."""
    wanted = part * buckets[math.inf]
    return next(limit for limit, count in sorted(buckets.items()) if count >= wanted)


def _buckets_of(page: str) -> Iterator[tuple[str, float, float]]:
    for family in text_string_to_metric_families(page):
        if family.name == HOP_SECONDS:
            for sample in family.samples:
                if sample.name.endswith("_bucket"):
                    yield sample.labels["hop"], float(sample.labels["le"]), sample.value
