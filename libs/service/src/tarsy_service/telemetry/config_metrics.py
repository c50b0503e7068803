"""Metrics of the configuration that a service runs by: each once for all services of a process."""

import time
from collections.abc import Callable

from prometheus_client import CollectorRegistry, Gauge

from tarsy_service.telemetry.shared_metrics import get_or_create_metric


def observe_config_verdicts(
    registry: CollectorRegistry, service: str, now: Callable[[], float] = time.time
) -> Callable[[bool], None]:
    """Observer of each content of the files that was judged: whether it holds now, or was refused."""
    loaded = get_or_create_metric(
        registry,
        Gauge,
        "tarsy_config_loaded_timestamp_seconds",
        "When the configuration that holds was loaded, in seconds since 1970",
        ["service"],
    ).labels(service)
    failed = get_or_create_metric(
        registry,
        Gauge,
        "tarsy_config_reload_failed",
        "1 while the files hold a configuration with mistakes, and an older one holds, else 0",
        ["service"],
    ).labels(service)

    def judged(holds: bool) -> None:
        failed.set(0 if holds else 1)
        if holds:
            loaded.set(now())

    return judged
