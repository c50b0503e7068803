"""The focus of a request: when the alert began, and which times the agent named."""

from datetime import UTC, datetime

import pytest
from summary_owner import summary

from tarsy_summary_prompt.request_focus import find_start, focus_of

NEAR = datetime(2026, 11, 23, 12, tzinfo=UTC)
STARTED = datetime(2026, 11, 23, 10, 0, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    "alert",
    [
        '{"endsAt": "0001-01-01T00:00:00Z", "startsAt": "2026-11-23T10:00:01Z"}',
        "deployed: 2026-11-23T09:00:00Z\nstarts_at: 2026-11-23 10:00:01",
        f"labels: none\nactiveAt = {int(STARTED.timestamp())}",
        "started_at: soon\nstartTime: '2026-11-23T12:00:01+02:00'",
    ],
)
def test_the_start_is_in_a_field_that_is_named_so(alert: str) -> None:
    assert find_start(alert, NEAR) == STARTED


def test_without_one_the_begin_of_the_session_stands_for_it() -> None:
    request = summary().model_copy(update={"alert": "Pods crash since 09:00:00", "began_at": NEAR})
    focus = focus_of(request)
    assert (focus.alert_began, focus.start) == (None, NEAR)


def test_times_of_the_latest_words_come_first() -> None:
    request = summary().model_copy(
        update={"words": "Errors at 10:05, and at 10:20.", "purpose": "What about 11:30?", "called_at": NEAR}
    )
    focus = focus_of(request)
    assert [one.at.strftime("%H:%M") for one in focus.named] == ["11:30", "10:20", "10:05"]
    assert focus.near == NEAR


def test_a_reply_has_the_times_of_its_question_and_no_start() -> None:
    request = summary().model_copy(update={"question": "Show me the errors of 10:40.", "words": "At 10:05."})
    assert [one.at.strftime("%H:%M") for one in focus_of(request).named] == ["10:40", "10:05"]
    assert focus_of(request).start is None
