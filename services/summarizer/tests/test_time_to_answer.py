"""A summary ends before its owner gives it up, and reports what it has cost."""

from datetime import UTC, datetime, timedelta

import pytest
from summary_owner import summary

from tarsy_summarizer.summarize import seconds_to_answer

NOW = datetime(2026, 11, 23, 10, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("allowed", "left", "seconds"),
    [
        (120.0, 120.0, 119.0),
        (120.0, 100.0, 99.0),
        (120.0, 600.0, 120.0),
        (120.0, 10.0, 60.0),
        (120.0, -30.0, 60.0),
        (5.0, 5.0, 4.5),
    ],
    ids=["claimed at once", "claimed late", "after an outage", "clocks differ", "clocks differ much", "short"],
)
def test_it_has_the_time_that_is_left_but_for_a_report(allowed: float, left: float, seconds: float) -> None:
    request = summary(timeout=allowed).model_copy(update={"not_after": NOW + timedelta(seconds=left)})
    assert seconds_to_answer(request, NOW) == pytest.approx(seconds)
