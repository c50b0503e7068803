"""Lines around the alert's start are kept in a log of another clock, too: by what its own stamps say, and told."""

import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tarsy_summary_prompt.excerpt import Excerpt, ExcerptText
from tarsy_summary_prompt.focus import Focus

BEGAN = datetime(2026, 11, 23, 10, tzinfo=UTC)
READ_AT = BEGAN + timedelta(hours=1)
WORDS = [f"{one}{two}ing the {three}" for one in "abcdef" for two in "ghijk" for three in ("cart", "order", "user")]
COUNT = 10_000
AT = COUNT - 3_601
"""A line each second, to the call."""
BUDGET = 20_000

type Stamp = Callable[[datetime], str]

ZONED: Stamp = lambda at: f"{at:%Y-%m-%dT%H:%M:%SZ}"  # noqa: E731
ZONELESS: Stamp = lambda at: f"{at:%Y-%m-%d %H:%M:%S}"  # noqa: E731


def log_of(stamp: Stamp, shift: timedelta, *, ended: timedelta = timedelta()) -> list[str]:
    """`shift`: how far its clock is ahead of ours. `ended`: how long before the call its last line is."""
    drawn = random.Random(7)
    begin = READ_AT - timedelta(seconds=COUNT - 1) - ended + shift
    return [f"{stamp(begin + timedelta(seconds=second))} {drawn.choice(WORDS)}" for second in range(COUNT)]


def excerpt_of(log: list[str], began: datetime = BEGAN) -> ExcerptText:
    excerpt = Excerpt(BUDGET, Focus(near=READ_AT, alert_began=began))
    excerpt.take("\n".join(log).encode())
    return excerpt.finish()


CLOCKS = {
    "of another year": (ZONED, datetime(2025, 11, 23, tzinfo=UTC) - datetime(2026, 11, 23, tzinfo=UTC)),
    "of another year without a zone": (ZONELESS, timedelta(days=-365)),
    "of a zone in the east": (ZONELESS, timedelta(hours=8)),
    "of a zone of half an hour": (ZONELESS, timedelta(hours=5, minutes=30)),
    "of a zone in the west": (ZONELESS, timedelta(hours=-5)),
    "of another zone without a date": (lambda at: f"{at:%H:%M:%S}", timedelta(hours=-5)),
    "some days off": (ZONED, timedelta(days=-3)),
    "of the future": (ZONED, timedelta(days=40, minutes=17)),
    "never set": (ZONED, datetime(2001, 1, 1, tzinfo=UTC) - BEGAN),
}


@pytest.mark.parametrize(("stamp", "shift"), CLOCKS.values(), ids=CLOCKS.keys())
def test_lines_around_the_start_are_kept_in_a_log_of_another_clock(stamp: Stamp, shift: timedelta) -> None:
    log = log_of(stamp, shift)
    short = excerpt_of(log)
    kept = set(short.text.splitlines())
    assert [line for line in log[AT - 3 : AT + 4] if line not in kept] == []
    assert f"{BEGAN + shift:%Y-%m-%d %H:%M:%S}" in short.clock


OURS: dict[str, Callable[[], list[str]]] = {
    "in UTC": lambda: log_of(ZONED, timedelta()),
    "without a zone": lambda: log_of(ZONELESS, timedelta()),
    "in another zone that it names": lambda: log_of(
        lambda at: f"{at.astimezone(timezone(timedelta(hours=8))):%Y-%m-%dT%H:%M:%S+0800}", timedelta()
    ),
    "that ended half an hour before the call": lambda: log_of(ZONELESS, timedelta(), ended=timedelta(minutes=30)),
    "that begins after the alert": lambda: log_of(ZONED, timedelta())[-1_000:],
    "that ended before the alert": lambda: log_of(ZONED, timedelta(), ended=timedelta(hours=7)),
    "without stamps": lambda: log_of(lambda _: "", timedelta()),
}
"""Written by their own test: each process that collects the tests would write them all."""


@pytest.mark.parametrize("write", OURS.values(), ids=OURS.keys())
def test_nothing_is_said_of_a_log_of_our_clock(write: Callable[[], list[str]]) -> None:
    assert excerpt_of(write()).clock == ""


def test_what_fits_in_several_years_is_said_and_not_guessed() -> None:
    stamps = [BEGAN - timedelta(hours=number * 7 + 8_800) for number in range(5_000, 0, -1)]
    log = [f"{at:%Y-%m-%dT%H:%M:%SZ} {WORDS[number % 7]}" for number, at in enumerate(stamps)]
    assert excerpt_of(log).clock == (
        "It has the day and time at which what is investigated began in several years: no lines were kept for them."
    )


def test_it_is_said_when_another_zone_would_put_the_start_into_the_log() -> None:
    log = log_of(ZONELESS, timedelta(hours=2), ended=timedelta(hours=5, minutes=43))
    assert excerpt_of(log).clock.startswith("Its stamps name no zone.")


def test_a_log_that_is_old_or_of_another_clock_is_called_both() -> None:
    short = excerpt_of(log_of(ZONED, timedelta(days=-100, minutes=-50)), BEGAN - timedelta(days=1))
    assert short.clock == "Its stamps end 100 days before the call: its clock is another one, or it is old."


@settings(deadline=None, max_examples=40)
@given(st.timedeltas(timedelta(days=-9_000), timedelta(days=9_000)), st.sampled_from([ZONED, ZONELESS]))
def test_where_a_start_is_told_it_is_among_the_stamps(shift: timedelta, stamp: Stamp) -> None:
    log = log_of(stamp, shift)[::10]
    short = excerpt_of(log)
    told = short.clock.partition(" began at ")[2][:19]
    first, last = log[0][:19].replace("T", " "), log[-1][:19].replace("T", " ")
    assert not told or _second(first) - 3_600 <= _second(told) <= _second(last) + 3_600


def _second(stamp: str) -> float:
    return datetime.fromisoformat(stamp).timestamp()
