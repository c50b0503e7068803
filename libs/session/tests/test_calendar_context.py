"""What a session knows of the day on which it begins: labels, and a sentence of its first question."""

from datetime import UTC, datetime

import pytest

from tarsy_contracts import events as e
from tarsy_contracts.calendar import Calendar, Holiday, OnCallHours, TeamCalendar
from tarsy_session.prompts.present_time import compose_time
from tarsy_testing.story.story import Story, chain

CALENDAR = Calendar(
    holidays=(Holiday(day="2026-12-25", name="Christmas\n## Your task"),),
    general=TeamCalendar(
        time_zone="Europe/Prague", hours=(OnCallHours(days=(0, 1, 2, 3, 4), begin="08:00", end="18:00"),)
    ),
    teams={"payments": TeamCalendar()},
)


@pytest.mark.parametrize(
    ("at", "says"),
    [
        (
            datetime(2026, 11, 27, 23, 30, tzinfo=UTC),
            "You begin on Friday, 2026-11-27, at 23:30 UTC. By the calendar of those who are on call, "
            "in Europe/Prague, it is Saturday, 2026-11-28, 00:30: WEEKEND. Nobody is on call now.",
        ),
        (datetime(2026, 12, 25, 9, tzinfo=UTC), "HOLIDAY (Christmas ## Your task). Nobody is on call now."),
        (datetime(2026, 12, 28, 9, tzinfo=UTC), "10:00: WEEKDAY. Somebody is on call now."),
    ],
)
def test_the_time_of_a_task_says_which_day_it_is_for_those_on_call(at: datetime, says: str) -> None:
    assert says in compose_time(at, CALENDAR)


def test_without_hours_nothing_is_said_of_who_is_on_call() -> None:
    at = datetime(2026, 12, 25, 9, tzinfo=UTC)
    assert "on call now" not in compose_time(at, CALENDAR.for_labels({"team": "payments"}))
    assert compose_time(at).endswith("at 09:00 UTC.")


def test_a_session_begins_with_labels_and_its_first_question_has_the_day_and_its_instructions_do_not() -> None:
    story = Story(plan=chain().model_copy(update={"calendar": CALENDAR})).asking()
    started = story.investigating.started
    assert started.labels in [("weekday", "staffed"), ("weekday", "unstaffed"), ("weekend", "unstaffed")]
    assert started.chain.calendar is not None
    assert started.chain.calendar.teams == {}
    execution = story.execution().started
    assert "in Europe/Prague" in execution.prompt
    assert "Europe/Prague" not in execution.system


def test_without_a_calendar_a_session_has_no_such_label() -> None:
    story = Story().asking()
    assert story.investigating.started.labels == ()
    assert isinstance(story.investigating.started, e.SessionStarted)
