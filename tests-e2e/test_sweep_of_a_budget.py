"""The sweep of a budget: at every event somebody dies; it warns once, asks, is extended, asks again, and concludes."""

from functools import cache

import pytest

from tarsy_contracts import events as e
from tarsy_testing.simulation.investigation import THRIFTY_ALERT
from tarsy_testing.simulation.playing import Death, Played, play
from tarsy_testing.simulation.sweeping import deaths_at, faults, record_faults, sampled, still_open


def played(*deaths: Death, cancelled_at: int | None = None) -> Played:
    return play(*deaths, alert=THRIFTY_ALERT, cancelled_at=cancelled_at)


@cache
def undisturbed() -> Played:
    return played()


def decisions(one: Played) -> list[tuple[str, str]]:
    """Warnings, ends and decisions, in their order."""
    found: list[tuple[str, str]] = []
    for record in one.log.accepted:
        match record.event:
            case e.BudgetWarned(resource=resource):
                found.append(("warned", resource))
            case e.BudgetReached(at_end=at_end):
                found.append(("reached", at_end))
            case e.BudgetDecided(outcome=outcome):
                found.append(("decided", outcome))
            case _:
                pass
    return found


STORY = [("reached", "ask"), ("decided", "extended"), ("reached", "ask"), ("decided", "concluded")]


def batches() -> list[int]:
    """The first event of each, from the first end of the budget on."""
    log = undisturbed().log
    begins = log.types.index("budget.reached") + 1
    return [batch[0] for batch in undisturbed().batches if batch[-1] >= begins]


def test_a_person_is_asked_extends_the_budget_and_lets_the_agents_conclude() -> None:
    one = undisturbed()
    assert faults(one, one) + record_faults(one) == []
    assert [step for step in decisions(one) if step[0] != "warned"] == STORY
    assert one.log.types[-1] == "session.completed"
    (completed,) = one.log.events(e.SessionCompleted)
    assert completed.partial_reason.startswith("budget: ")


def every_death() -> list[Death]:
    return sampled([death for event in batches() for death in deaths_at(event)])


@pytest.mark.parametrize("death", every_death(), ids=str)
def test_whoever_dies_the_budget_is_met_extended_and_concluded_once(death: Death) -> None:
    one = played(death)
    assert faults(one, undisturbed(), death) == []
    assert [step for step in decisions(one) if step[0] != "warned"] == STORY


def test_whoever_cancels_while_a_budget_waits_ends_the_session() -> None:
    one = played(cancelled_at=batches()[0])
    assert [*one.complaints, *still_open(one.log)] == []
    assert one.log.types[-1] == "session.cancelled"
