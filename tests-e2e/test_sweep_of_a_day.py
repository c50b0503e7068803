"""The sweep of the budget of a day: sessions use it up together, somebody dies, and the sum is that of their logs."""

from collections.abc import Iterator
from functools import cache

import pytest

from tarsy_contracts import events as e
from tarsy_contracts.budgets import NOTHING_SPENT, Spending
from tarsy_testing.simulation.broker import BEGINNING
from tarsy_testing.simulation.investigation import CALLS_PER_DAY, DAILY_ALERT
from tarsy_testing.simulation.playing import Death, Played, play
from tarsy_testing.simulation.sweeping import deaths_at, sampled, still_open
from tarsy_verification.invariants import chain_faults
from tarsy_verification.session_log import SessionLog

DAY = (BEGINNING.date().isoformat(), f"chain/{DAILY_ALERT.alert_type}")
BESIDE = 4
STEP = 11


def played(*deaths: Death, seed: int = 1, beside: int = 0) -> Played:
    return play(*deaths, seed=seed, alert=DAILY_ALERT, beside=beside)


@cache
def undisturbed() -> Played:
    return played()


def logs(one: Played) -> list[SessionLog]:
    return [one.log, *one.beside]


def spent(one: Played) -> Spending:
    """What the logs have, and nothing else."""
    found = NOTHING_SPENT
    for log in logs(one):
        for record in log.accepted:
            match record.event:
                case e.LlmCallCompleted() | e.LlmCallFailed():
                    found = found.add(record.event.usage, record.event.charge)
                case e.SummaryCompleted() | e.SummaryFailed():
                    for attempt in record.event.attempts:
                        found = found.add(attempt.usage, attempt.charge)
                case _:
                    pass
    return found


def faults(one: Played) -> Iterator[str]:
    yield from one.complaints
    for log in logs(one):
        yield from chain_faults(log)
        yield from still_open(log)
        if not log.ended:
            yield "a session is still open"
    if one.spent.get(DAY) != spent(one):
        yield f"{one.spent.get(DAY)} is published, and the logs have {spent(one)}"


@pytest.mark.parametrize("seed", range(1, 9))
def test_sessions_that_run_at_once_use_it_up_and_exceed_it_by_what_is_under_way(seed: int) -> None:
    one = played(seed=seed, beside=BESIDE)
    assert [*faults(one)] == []
    under_way, conclusions, summaries = 1 + BESIDE, 1 + BESIDE, 1 + BESIDE
    assert CALLS_PER_DAY <= spent(one).calls <= CALLS_PER_DAY + under_way + conclusions + summaries
    assert any(log.events(e.BudgetReached) for log in logs(one))


def every_death() -> list[Death]:
    numbers = range(1, len(undisturbed().log.accepted) + 1)
    return sampled([death for event in numbers for death in deaths_at(event)], STEP)


@pytest.mark.parametrize("death", every_death(), ids=str)
def test_whoever_dies_what_was_spent_is_counted_once(death: Death) -> None:
    one = played(death)
    assert [*faults(one)] == []
    assert one.struck == [death]


def last_events() -> list[Death]:
    """The last question has been answered, and its owner dies before the second in which it publishes that is over."""
    last = len(undisturbed().log.accepted)
    return [
        Death("orchestrator", moment, event, way)
        for event in (last - 1, last)
        for moment in ("after", "soon-after")
        for way in ("forgotten", "remembered")
    ]


@pytest.mark.parametrize("death", last_events(), ids=str)
def test_an_owner_that_dies_between_spending_and_its_publication_leaves_it_to_the_next(death: Death) -> None:
    one = played(death)
    assert [*faults(one)] == []
    assert one.struck == [death]
