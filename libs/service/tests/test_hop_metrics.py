"""Times of hops: what a process has measured, and what is read of all of them."""

from datetime import UTC, datetime, timedelta

from prometheus_client import CollectorRegistry

from tarsy_service.telemetry.hop_metrics import HopTimes
from tarsy_service.telemetry.hop_reading import quantile, sum_buckets
from tarsy_service.telemetry.process_metrics import exposition

NOW = datetime(2026, 11, 30, tzinfo=UTC)


def page(*waits: float) -> str:
    registry = CollectorRegistry()
    hops, others = HopTimes(registry, now=lambda: NOW), HopTimes(registry)
    for seconds in waits:
        hops.observe_since("queue", NOW - timedelta(seconds=seconds))
    others.observe("run", 0.002)
    return exposition(registry).decode()


def test_times_of_all_processes_are_read_together() -> None:
    found = sum_buckets([page(*[0.004] * 98), page(0.07, 0.07)])
    assert sorted(found) == ["queue", "run"]
    assert (quantile(found["queue"], 0.5), quantile(found["queue"], 0.99)) == (0.005, 0.08)


def test_a_clock_that_is_behind_makes_no_time_negative() -> None:
    assert quantile(sum_buckets([page(-5.0)])["queue"], 0.99) == 0.001


def test_hops_that_nobody_has_measured_are_left_out() -> None:
    assert sorted(sum_buckets([page()])) == ["run"]
