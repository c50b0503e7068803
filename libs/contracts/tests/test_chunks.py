"""Numbers of the runs that workers begin."""

from datetime import UTC, datetime, timedelta

from tarsy_contracts.messages.chunks import number_run

NOW = datetime(2026, 11, 27, 20, 0, tzinfo=UTC)
EXACT_IN_BROWSERS = 2**53


def test_who_takes_a_call_over_has_the_higher_run_though_its_clock_is_behind() -> None:
    assert number_run(1, NOW - timedelta(days=400)) > number_run(0, NOW)


def test_two_workers_that_got_one_request_have_two_runs() -> None:
    assert number_run(1, NOW) != number_run(1, NOW + timedelta(milliseconds=1))


def test_runs_are_higher_than_those_that_older_workers_numbered_by_their_clock() -> None:
    assert number_run(0, NOW) > int(datetime(2100, 1, 1, tzinfo=UTC).timestamp() * 1000)


def test_browsers_read_the_numbers_exactly_however_often_a_call_became_free() -> None:
    assert number_run(10**9, datetime(2100, 1, 1, tzinfo=UTC)) < EXACT_IN_BROWSERS
