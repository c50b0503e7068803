"""The working calendar of a plan, at the edges of days, of weeks, and of summer time."""

from datetime import UTC, datetime

import pytest

from tarsy_contracts.calendar import Calendar, DayKind, Holiday, OnCallHours, TeamCalendar, find_moment

WORKDAYS = (0, 1, 2, 3, 4)
OFFICE = OnCallHours(days=WORKDAYS, begin="08:00", end="18:00")
NIGHT = OnCallHours(days=(4,), begin="22:00", end="06:00")
EVENING = OnCallHours(days=WORKDAYS, begin="18:00", end="24:00")
CHRISTMAS = Holiday(day="12-25", name="Christmas")


def calendar(*hours: OnCallHours, zone: str = "Europe/Prague") -> Calendar:
    return Calendar(holidays=(CHRISTMAS,), general=TeamCalendar(time_zone=zone, hours=hours))


def at(utc: str) -> datetime:
    return datetime.fromisoformat(utc).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("utc", "local", "kind", "staffed"),
    [
        ("2026-11-27T06:59", "2026-11-27T07:59", "weekday", False),
        ("2026-11-27T07:00", "2026-11-27T08:00", "weekday", True),
        ("2026-11-27T16:59", "2026-11-27T17:59", "weekday", True),
        ("2026-11-27T17:00", "2026-11-27T18:00", "weekday", False),
        ("2026-11-27T23:30", "2026-11-28T00:30", "weekend", False),
        ("2026-11-29T23:30", "2026-11-30T00:30", "weekday", False),
        ("2026-12-24T23:00", "2026-12-25T00:00", "holiday", False),
        ("2026-12-25T10:00", "2026-12-25T11:00", "holiday", False),
        ("2026-12-25T23:00", "2026-12-26T00:00", "weekend", False),
        # Summer time begins on 2026-03-29 at 01:00 UTC and ends on 2026-10-25 at 01:00 UTC.
        ("2026-03-27T06:59", "2026-03-27T07:59", "weekday", False),
        ("2026-03-30T05:59", "2026-03-30T07:59", "weekday", False),
        ("2026-03-30T06:00", "2026-03-30T08:00", "weekday", True),
        ("2026-10-23T06:00", "2026-10-23T08:00", "weekday", True),
        ("2026-10-26T06:00", "2026-10-26T07:00", "weekday", False),
        ("2026-10-26T07:00", "2026-10-26T08:00", "weekday", True),
    ],
)
def test_a_time_is_that_of_the_zone_of_its_team(utc: str, local: str, kind: DayKind, staffed: bool) -> None:
    moment = find_moment(calendar(OFFICE), at(utc))
    assert (f"{moment.local:%Y-%m-%dT%H:%M}", moment.kind, moment.staffed) == (local, kind, staffed)


@pytest.mark.parametrize(
    ("utc", "end", "staffed"),
    [
        # The hour from 2 to 3 is skipped on 2026-03-29, and comes twice on 2026-10-25.
        ("2026-03-29T00:59", "04:00", False),
        ("2026-03-29T01:00", "04:00", True),
        ("2026-03-29T02:00", "04:00", False),
        ("2026-10-25T00:30", "03:00", True),
        ("2026-10-25T01:30", "03:00", True),
        ("2026-10-25T02:00", "03:00", False),
    ],
)
def test_hours_are_those_of_the_clock_on_the_wall(utc: str, end: str, staffed: bool) -> None:
    assert find_moment(calendar(OnCallHours(days=(6,), begin="02:00", end=end)), at(utc)).staffed is staffed


@pytest.mark.parametrize(
    ("hours", "utc", "staffed"),
    [
        (NIGHT, "2026-11-27T21:59", False),
        (NIGHT, "2026-11-27T22:00", True),
        (NIGHT, "2026-11-28T05:59", True),
        (NIGHT, "2026-11-28T06:00", False),
        (NIGHT, "2026-11-28T22:30", False),
        (EVENING, "2026-11-27T23:59", True),
        (EVENING, "2026-11-28T00:00", False),
        (NIGHT, "2026-12-25T23:00", False),
        (NIGHT.model_copy(update={"on_holidays": True}), "2026-12-26T05:00", True),
    ],
)
def test_hours_over_midnight_belong_to_the_day_on_which_they_begin(hours: OnCallHours, utc: str, staffed: bool) -> None:
    assert find_moment(calendar(hours, zone="UTC"), at(utc)).staffed is staffed


def test_a_team_has_its_own_hours_and_all_others_the_general_ones() -> None:
    team = TeamCalendar(time_zone="America/New_York", hours=(OFFICE,))
    whole = calendar(OFFICE).model_copy(update={"teams": {"payments": team}})
    morning = at("2026-11-27T07:30")
    assert find_moment(whole.for_labels({"team": "Payments"}), morning).labels == ("weekday", "unstaffed")
    assert find_moment(whole.for_labels({"team": "shop"}), morning).labels == ("weekday", "staffed")
    assert whole.for_labels({}).teams == {}


def test_without_hours_nobody_knows_and_an_unknown_zone_is_read_as_utc() -> None:
    moment = find_moment(calendar(zone="Nowhere/At_All"), at("2026-11-27T07:30"))
    assert (moment.staffed, moment.labels, moment.local.hour) == (None, ("weekday",), 7)
