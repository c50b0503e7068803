"""Retries: how long they pause, and what ends them."""

from itertools import islice

import pytest

from tarsy_bus.retries import draw_growing_pauses, retry
from tarsy_contracts.timing import GRACE_SECONDS


def test_pauses_grow_up_to_a_limit() -> None:
    pauses = draw_growing_pauses(1.0, 5.0, draw=lambda: 0.0)
    assert [next(pauses) for _ in range(5)] == [1.0, 2.0, 4.0, 5.0, 5.0]


def test_no_pause_is_as_long_as_the_grace_after_an_outage() -> None:
    """A result would be stored, or an append be known, when the time of its call is over."""
    assert max(islice(draw_growing_pauses(draw=lambda: 0.0), 20)) < GRACE_SECONDS


def test_two_who_failed_at_once_do_not_come_back_at_once() -> None:
    one, other = draw_growing_pauses(1.0, 5.0, draw=lambda: 0.2), draw_growing_pauses(1.0, 5.0, draw=lambda: 0.9)
    for base in (1.0, 2.0, 4.0, 5.0):
        first, second = next(one), next(other)
        assert base / 2 <= second < first <= base


async def test_it_goes_on_until_an_attempt_succeeds_and_tells_of_each_failure() -> None:
    failures, told = [ValueError("one"), ValueError("two")], []

    async def attempt() -> str:
        if failures:
            raise failures.pop(0)
        return "answer"

    answer = await retry(
        attempt,
        passes=lambda problem: isinstance(problem, ValueError),
        failed=lambda problem, pause: told.append((str(problem), pause)),
        pauses=iter((0.0, 0.001, 0.0)),
    )
    assert (answer, told) == ("answer", [("one", 0.0), ("two", 0.001)])


async def test_what_does_not_pass_comes_out_at_once() -> None:
    async def attempt() -> None:
        raise KeyError("gone")

    with pytest.raises(KeyError):
        await retry(attempt, passes=lambda problem: False, failed=lambda problem, pause: None)
