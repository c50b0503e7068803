"""The watchdog notices what computes on the event loop, and forgives a machine that is busy with others."""

import asyncio
import time

import pytest
from prometheus_client import CollectorRegistry
from structlog.testing import capture_logs

from tarsy_service.telemetry.loop_lag import LoopLag
from tarsy_testing.real_servers import eventually


def held_over(registry: CollectorRegistry, seconds: str) -> float:
    all_ = registry.get_sample_value("tarsy_process_loop_held_seconds_count") or 0.0
    below = registry.get_sample_value("tarsy_process_loop_held_seconds_bucket", {"le": seconds}) or 0.0
    return all_ - below


@pytest.mark.timing
async def test_what_computes_on_the_loop_is_counted_and_logged() -> None:
    registry = CollectorRegistry()
    with capture_logs() as logs:
        watching = asyncio.create_task(LoopLag(registry).watch())
        await asyncio.sleep(0)
        until = time.thread_time() + 0.4
        while time.thread_time() < until:
            pass

        async def noticed() -> bool:
            return held_over(registry, "0.1") > 0

        await eventually(noticed, "the watchdog noticed it")
        watching.cancel()
    assert [line["event"] for line in logs] == ["loop.held"]


def test_a_loop_that_is_late_though_nobody_computed_was_not_held() -> None:
    registry = CollectorRegistry()
    with capture_logs() as logs:
        LoopLag(registry).observe(lag=3.0, held=0.01)
    assert held_over(registry, "0.1") == 0
    assert registry.get_sample_value("tarsy_process_loop_lag_seconds_sum") == 3.0
    assert logs == []


def test_a_loop_that_computes_much_in_small_parts_was_not_held() -> None:
    registry = CollectorRegistry()
    LoopLag(registry).observe(lag=0.002, held=0.05)
    assert held_over(registry, "0.01") == 0
