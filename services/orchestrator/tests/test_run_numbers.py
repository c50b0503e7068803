"""Numbers of the runs of model calls."""

from datetime import UTC, datetime

from tarsy_orchestrator.effects.run_numbers import RunNumbers

EXACT_IN_BROWSERS = 2**53


def numbers_of(generation: int, count: int = 1) -> list[int]:
    runs = RunNumbers()
    runs.enter(generation)
    return [runs.next() for _ in range(count)]


def test_each_run_has_a_higher_number_than_the_ones_before_it() -> None:
    numbers = numbers_of(7, count=3)
    assert numbers == sorted(set(numbers))


def test_the_runs_of_a_later_generation_are_higher_in_whatever_process() -> None:
    assert min(numbers_of(8)) > max(numbers_of(7, count=1000))


def test_a_generation_of_before_does_not_come_back() -> None:
    """A member that the group has just expelled knows none: -1."""
    runs = RunNumbers()
    runs.enter(7)
    first = runs.next()
    runs.enter(-1)
    runs.enter(7)
    assert runs.next() > first


def test_runs_are_higher_than_those_that_older_owners_numbered_by_their_clock() -> None:
    by_clock = int(datetime(2200, 1, 1, tzinfo=UTC).timestamp() * 1000)
    assert min(numbers_of(0)) > by_clock


def test_browsers_read_the_numbers_of_millions_of_generations_exactly() -> None:
    assert max(numbers_of(8_000_000)) < EXACT_IN_BROWSERS
