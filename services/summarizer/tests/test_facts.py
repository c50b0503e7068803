"""Facts about a result for the model, and the note for the reader of its summary."""

from datetime import UTC, datetime

import pytest
from summary_owner import summary

from tarsy_summary_prompt.coverage import Coverage
from tarsy_summary_prompt.excerpt import ExcerptText
from tarsy_summary_prompt.facts import describe_unread_spans, facts
from tarsy_summary_prompt.request_focus import focus_of

CALLED = datetime(2026, 11, 23, 10, 5, tzinfo=UTC)
WHOLE = Coverage(lines=500, lines_read=500)
PART = Coverage(
    lines=500,
    lines_read=100,
    spans=("line 10 to line 200 (10:00:01 to 10:02:07)", "line 300 to line 380 (10:03:00 to 10:03:59)"),
    begins="10:00:00",
    ends="10:05:00",
)


def told(coverage: Coverage = WHOLE, **update: object) -> str:
    request = summary().model_copy(update=update)
    return facts(request, ExcerptText("a log", "", coverage, focus_of(request).alert_began))


def test_the_time_of_the_call_and_of_the_alert_is_told() -> None:
    assert "The tool was called at 2026-11-23 10:05:00 UTC." in told(called_at=CALLED)
    assert "The alert began at 2026-11-23 10:05:00 UTC." in told(alert="startsAt: 2026-11-23T10:05:00Z")
    assert "called at" not in told()


def test_the_time_at_which_an_alert_came_is_not_told_as_its_start() -> None:
    assert "The alert began" not in told(alert="Show me the errors of cart.", began_at=CALLED)
    came = "What is investigated came at 2026-11-23 10:05:00 UTC, and does not say when it began."
    assert came in told(began_at=CALLED)


def test_a_reply_is_told_when_the_question_was_asked_and_not_when_the_alert_began() -> None:
    said = told(alert="startsAt: 2026-11-23T10:05:00Z", question="Show me the errors of cart.", asked_at=CALLED)
    assert "The question was asked at 2026-11-23 10:05:00 UTC." in said
    assert "The alert began" not in said


def test_it_is_told_how_much_of_the_result_there_is() -> None:
    assert "has 500 lines.\nYou are given all of them." in told()
    assert "has 500 lines, stamped 10:00:00 to 10:05:00.\nYou are given 100 of them" in told(PART)


def test_it_is_told_when_the_end_of_the_result_was_cut_off() -> None:
    assert "cut off" in told(kept_whole=False)
    assert "cut off" not in told()


@pytest.mark.parametrize(
    ("arguments", "limit"),
    [({"tail": 500}, "`tail`"), ({"pod": "a", "limit": 500.0}, "`limit`"), ({"tail": 501}, None), ({"a b": 500}, None)],
)
def test_a_limit_that_the_result_has_reached_is_named(arguments: dict[str, object], limit: str | None) -> None:
    found = told(arguments=arguments)
    assert (limit in found) if limit else ("as many lines as" not in found)


def test_the_reader_is_told_what_was_not_read_and_nothing_when_all_was() -> None:
    assert describe_unread_spans(PART) == (
        "[Of 500 lines 400 were left out before the summary was written. The longest spans of them: line 10 to line 200"
        " (10:00:01 to 10:02:07); line 300 to line 380 (10:03:00 to 10:03:59). Lines are counted from 0.]"
    )
    assert describe_unread_spans(WHOLE) == ""
