"""When the digest of a week is due, by the clock on the wall."""

from datetime import date, datetime, time, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarsy_config.config import Config
from tarsy_config.sections.digest_time import DigestTime
from tarsy_notifier.digest.schedule import WEEK, DigestSchedule, last_day_before, schedule_of
from tarsy_notifier.receivers import plans_of

MONDAY = DigestSchedule(weekday=0, at=time(9), time_zone="Europe/Berlin")


def utc(text: str) -> datetime:
    return datetime.fromisoformat(f"{text}Z")


@pytest.mark.parametrize(
    ("now", "due"),
    [
        (utc("2026-11-23 08:00"), utc("2026-11-23 08:00")),
        (utc("2026-11-23 07:59:59"), utc("2026-11-16 08:00")),
        (utc("2026-11-29 23:59"), utc("2026-11-23 08:00")),
        # Summer time ended on 25 October, and begins on 28 March.
        (utc("2026-10-20 00:00"), utc("2026-10-19 07:00")),
        (utc("2026-10-26 07:30"), utc("2026-10-19 07:00")),
        (utc("2027-03-29 07:00"), utc("2027-03-29 07:00")),
    ],
)
def test_it_is_due_at_nine_in_berlin_in_summer_and_in_winter(now: datetime, due: datetime) -> None:
    assert MONDAY.last_due(now) == due


def test_an_hour_that_the_clock_leaves_out_is_due_all_the_same() -> None:
    schedule = DigestSchedule(weekday=6, at=time(2, 30), time_zone="Europe/Berlin")
    assert schedule.last_due(utc("2027-03-28 12:00")) == utc("2027-03-28 01:30")


@given(
    st.integers(0, 20 * 366 * 86_400).map(lambda seconds: utc("2020-01-01 00:00") + timedelta(seconds=seconds)),
    st.integers(0, 6),
    st.times().map(lambda at: at.replace(second=0, microsecond=0)),
    st.sampled_from(["UTC", "Europe/Berlin", "America/New_York", "Pacific/Kiritimati", "Asia/Kolkata"]),
)
def test_there_is_one_in_each_week_and_it_is_over(now: datetime, weekday: int, at: time, zone: str) -> None:
    due = DigestSchedule(weekday, at, zone).last_due(now)
    assert due <= now < due + WEEK + timedelta(hours=2)
    assert DigestSchedule(weekday, at, zone).last_due(due) == due


def test_it_tells_of_whole_days() -> None:
    assert last_day_before(utc("2026-11-23 08:00")) == date(2026, 11, 22)


def test_without_a_time_zone_that_of_the_system_counts_and_else_utc() -> None:
    configured = DigestTime(day="friday", at="16:30")
    assert schedule_of(configured, "Asia/Tokyo") == DigestSchedule(4, time(16, 30), "Asia/Tokyo")
    assert schedule_of(configured, None).time_zone == "UTC"


def test_a_plan_has_a_schedule_where_the_receiver_wants_a_digest() -> None:
    hook = {"type": "webhook", "url": "https://ops.example/hook"}
    receivers = {"one": hook, "other": {**hook, "digest": {"day": "monday", "time_zone": "Europe/Berlin"}}}
    plans = plans_of(Config.model_validate({"notifications": receivers}), {})
    assert (plans["one"].digest, plans["other"].digest) == (None, MONDAY)
