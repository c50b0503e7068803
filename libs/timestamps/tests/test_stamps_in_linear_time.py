"""No line makes its reader wait, and no sentence does: others decide what they hold."""

import time
from collections.abc import Callable
from datetime import UTC, datetime
from math import inf

import pytest

from tarsy_timestamps.stamps import find_stamp, find_times

NEAR = datetime(2026, 11, 23, 12, tzinfo=UTC)
SMALL, TIMES = 100_000, 8
TRIES = 20
MUCH_LONGER = 3 * TIMES
HOSTILE = (
    "10:20 ",
    "0",
    "2026-11-23",
    "1:",
    "10:20:",
    " " * 40 + "10:20",
    '"ts":',
    "10:00:01 +",
    "Nov 23 ",
    "=10:00:01",
)


@pytest.mark.parametrize("unit", HOSTILE)
def test_times_of_a_sentence_take_linear_time(unit: str) -> None:
    assert_linear(lambda size: list(find_times(unit * (size // len(unit)))))


@pytest.mark.parametrize("unit", HOSTILE)
def test_only_the_begin_of_a_line_is_looked_at(unit: str) -> None:
    long = unit * (SMALL // len(unit))
    assert find_stamp(long, NEAR) == find_stamp(long[:1_000], NEAR)
    assert find_stamp("x" * 1_000 + " 2026-11-23T10:00:01Z", NEAR) is None


def assert_linear(work: Callable[[int], object]) -> None:
    """The least of some tries counts: others are on the machine too."""
    short = long = inf
    for _ in range(TRIES):
        short, long = min(short, seconds(work, SMALL)), min(long, seconds(work, SMALL * TIMES))
        if long < short * MUCH_LONGER:
            return
    raise AssertionError(f"{TIMES} times the text took {long / short:.0f} times as long")


def seconds(work: Callable[[int], object], size: int) -> float:
    began = time.process_time()
    work(size)
    return time.process_time() - began
