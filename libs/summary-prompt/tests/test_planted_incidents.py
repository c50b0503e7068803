"""Incidents whose cause has no word of trouble, in logs that hide it: excerpts keep the lines that explain it."""

import random
import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import pytest

from tarsy_summary_prompt.excerpt import Excerpt
from tarsy_summary_prompt.focus import Focus

READ_AT = datetime(2026, 11, 23, 12, tzinfo=UTC)
COUNT = 9_000
BUDGET = 18_750
PATHS = ("cart", "orders", "items", "prices", "stock", "coupons", "search", "login", "images", "reviews")


class Incident(NamedTuple):
    lines: list[str]
    explain: list[int]
    began: datetime


def of_another_year(drawn: random.Random) -> Incident:
    """The clock of an appliance is a year behind. A frequent message has new values: a leader left."""
    begin = READ_AT - timedelta(days=365, seconds=COUNT)
    states = [f"{one} {other}" for one in ("follower", "leader", "learner") for other in PATHS]
    lines = [
        f"{begin + timedelta(seconds=at):%Y-%m-%dT%H:%M:%SZ} raft: peer {drawn.choice(PATHS)} is {drawn.choice(states)}"
        for at in range(COUNT)
    ]
    at = COUNT - 2_000
    for line in range(at, at + 4):
        lines[line] = f"{lines[line][:20]} raft: peer {PATHS[line - at]} is follower stock"
    return Incident(lines, [*range(at, at + 4)], READ_AT - timedelta(seconds=2_000))


def of_crowded_warnings(drawn: random.Random) -> Incident:
    """Warnings are half of all. The pool fills up in lines of numbers that come each two minutes."""
    begin = READ_AT - timedelta(seconds=COUNT)
    lines = [
        f"{begin + timedelta(seconds=at):%Y-%m-%dT%H:%M:%SZ} "
        + (
            f"WARN {drawn.choice(PATHS)}: {drawn.choice(PATHS)} is slow, retrying {at}"
            if drawn.random() < 0.5
            else f"INFO {drawn.choice(PATHS)}: served {drawn.choice(PATHS)}"
        )
        for at in range(COUNT)
    ]
    stats = range(60, COUNT, 120)
    for at in stats:
        lines[at] = f"{lines[at][:20]} INFO pool: active={min(50, at // 120)} idle={max(0, 50 - at // 120)} waiting=0"
    return Incident(lines, list(stats), READ_AT - timedelta(minutes=5))


def of_ids_everywhere(drawn: random.Random) -> Incident:
    """Each line has ids, durations and sizes of its own. One request differs in words of its path."""
    begin = READ_AT - timedelta(seconds=COUNT)

    def line(at: int) -> str:
        id, took = uuid.UUID(int=drawn.getrandbits(128)), drawn.random() * 90
        path = f"/{drawn.choice(PATHS)}/{drawn.choice('gkqvz')}{drawn.randrange(10**6)}"
        return (
            f"{begin + timedelta(seconds=at):%Y-%m-%dT%H:%M:%SZ} [{id}] GET {path} in {took:.1f}ms {at % 977}KiB"
            f" by web-{drawn.randrange(10**9):09}-{''.join(drawn.choices('bcdfghjklmnpqrstvwxz2456789', k=5))}"
        )

    lines = [line(at) for at in range(COUNT)]
    lines[1_234] = f"{lines[1_234][:20]} [{uuid.UUID(int=7)}] GET /prices/refresh/all in 3.1ms 1KiB by web-{7:09}-k2x4q"
    return Incident(lines, [1_234], READ_AT - timedelta(minutes=5))


@pytest.mark.parametrize("make", [of_another_year, of_ids_everywhere])
@pytest.mark.parametrize("seed", range(2))
def test_the_lines_that_explain_the_incident_are_kept(make: Callable[[random.Random], Incident], seed: int) -> None:
    incident = make(random.Random(seed))
    assert kept_of(incident) == incident.explain


def test_reports_of_numbers_between_crowded_warnings_are_kept_from_all_parts() -> None:
    incident = of_crowded_warnings(random.Random(0))
    assert {at * 4 // COUNT for at in kept_of(incident)} == set(range(4))


def kept_of(incident: Incident) -> list[int]:
    """Those of the lines that explain it that the excerpt has."""
    excerpt = Excerpt(BUDGET, Focus(near=READ_AT, alert_began=incident.began))
    excerpt.take("\n".join(incident.lines).encode())
    kept = set(excerpt.finish().text.splitlines())
    return [at for at in incident.explain if incident.lines[at] in kept]
