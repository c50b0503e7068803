"""No line makes its reader wait, and no sentence does: others decide what they hold."""

from datetime import UTC, datetime

import pytest

from tarsy_testing.linear_time import assert_linear
from tarsy_timestamps.stamps import find_stamp, find_times

NEAR = datetime(2026, 11, 23, 12, tzinfo=UTC)
SMALL = 100_000
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


@pytest.mark.timing
@pytest.mark.parametrize("unit", HOSTILE)
def test_times_of_a_sentence_take_linear_time(unit: str) -> None:
    assert_linear(lambda size: list(find_times(unit * (size // len(unit)))), small=SMALL)


@pytest.mark.parametrize("unit", HOSTILE)
def test_only_the_begin_of_a_line_is_looked_at(unit: str) -> None:
    long = unit * (SMALL // len(unit))
    assert find_stamp(long, NEAR) == find_stamp(long[:1_000], NEAR)
    assert find_stamp("x" * 1_000 + " 2026-11-23T10:00:01Z", NEAR) is None
