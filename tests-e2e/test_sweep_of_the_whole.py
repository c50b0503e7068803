"""The sweep with all of it on: sub-agents, a skill, approvals, an action that is tried out, verified and reported."""

from collections import Counter
from functools import cache

import pytest

from tarsy_contracts import events as e
from tarsy_contracts.actions import ActionOutcome
from tarsy_contracts.builtin_tools import LOAD_SKILL
from tarsy_testing.simulation.investigation import SKILL, WHOLE_ALERT
from tarsy_testing.simulation.playing import Death, Played, play
from tarsy_testing.simulation.sweeping import deaths_at, faults, record_faults, sampled, still_open

DELETION = "pods_delete"
CHILDREN = ["Lister", "Reader", "Deleter"]
STEP = 23
"""Each kind of death at some events; what each feature meets alone is in the sweeps of the features."""


def played(*deaths: Death, cancelled_at: int | None = None) -> Played:
    return play(*deaths, alert=WHOLE_ALERT, cancelled_at=cancelled_at)


@cache
def undisturbed() -> Played:
    return played()


def made(one: Played) -> int:
    """How often the tool that changes something ran in earnest."""
    return sum(run.tool == DELETION and "dryRun" not in run.arguments for run in one.runs)


def outcome(one: Played) -> ActionOutcome:
    (found,) = [event.action for event in one.log.events(e.StageCompleted) if event.action is not None]
    return found


def sent(one: Played) -> list[str]:
    return [event.agent for event in one.log.events(e.ExecutionStarted) if event.parent_execution_id]


def read_skills(one: Played) -> list[str]:
    asked = {event.call_id for event in one.log.events(e.ToolCallRequested) if event.tool == LOAD_SKILL}
    return [event.content for event in one.log.events(e.ToolCallCompleted) if event.call_id in asked]


def test_they_look_side_by_side_read_the_skill_act_and_report() -> None:
    one = undisturbed()
    assert faults(one, one) + record_faults(one) == []
    assert sent(one) == CHILDREN
    assert SKILL.body in read_skills(one)[0]
    assert made(one) == 2, "one by a sub-agent, one by the action: a person said yes to both"
    assert (outcome(one).verdict, outcome(one).done, outcome(one).helped) == ("acted", 1, "yes")
    (ended,) = one.log.events(e.SessionCompleted)
    assert ended.final_analysis == "A memory leak. The pod was deleted."


def every_death() -> list[Death]:
    firsts = [batch[0] for batch in undisturbed().batches[1:]]
    return sampled([death for event in firsts for death in deaths_at(event)], STEP)


@pytest.mark.parametrize("death", every_death(), ids=str)
def test_whoever_dies_nothing_is_asked_made_or_left_twice(death: Death) -> None:
    one = played(death)
    assert faults(one, undisturbed(), death) == []
    assert sent(one) == CHILDREN
    assert made(one) <= 2
    assert read_skills(one) == read_skills(undisturbed())
    assert outcome(one).verdict == "acted"
    assert outcome(one).done + outcome(one).unknown == 1
    asked = Counter(event.llm_call_id for event in one.log.events(e.LlmCallRequested))
    assert max(asked.values()) == 1


@pytest.mark.parametrize("event", sampled([batch[0] for batch in undisturbed().batches[1:-1]], 7))
def test_whenever_somebody_cancels_nothing_is_left_open(event: int) -> None:
    one = played(cancelled_at=event)
    assert [*one.complaints, *still_open(one.log)] == []
    assert made(one) <= 2
