"""The sweep of a skill: whoever dies, agents read the skills that their session began with."""

from functools import cache

import pytest

from tarsy_contracts import events as e
from tarsy_contracts.builtin_tools import LOAD_SKILL
from tarsy_testing.simulation.investigation import SKILL, SKILLED_ALERT
from tarsy_testing.simulation.playing import Death, Played, play
from tarsy_testing.simulation.sweeping import deaths_at, faults, record_faults, sampled, still_open


def played(*deaths: Death, reconfigured: bool = False) -> Played:
    return play(*deaths, alert=SKILLED_ALERT, reconfigured=reconfigured)


@cache
def undisturbed() -> Played:
    return played()


def read(one: Played) -> list[str]:
    asked = {event.call_id for event in one.log.events(e.ToolCallRequested) if event.tool == LOAD_SKILL}
    return [event.content for event in one.log.events(e.ToolCallCompleted) if event.call_id in asked]


def test_a_skill_is_read_from_the_log_and_no_gateway_is_asked() -> None:
    one = undisturbed()
    assert faults(one, one) + record_faults(one) == []
    assert one.log.types[:2] == ["session.started", "session.skills_recorded"]
    assert one.log.types[-1] == "session.completed"
    assert [SKILL.body in read(one)[0], read(one)[1]] == [True, SKILL.files[0].text]
    assert {start.tool for start in one.starts} == {"pods_list"}


def deaths_of_owners() -> list[Death]:
    """The first batch begins the session: who writes that decides which skills it has."""
    later = [batch[0] for batch in undisturbed().batches[1:]]
    deaths = [death for event in later for death in deaths_at(event) if death.service == "orchestrator"]
    return sampled(sampled(deaths))


@pytest.mark.parametrize("death", deaths_of_owners(), ids=str)
def test_whoever_takes_over_with_another_configuration_goes_on_with_the_same_skills(death: Death) -> None:
    one = played(death, reconfigured=True)
    assert faults(one, undisturbed(), death) == []
    assert still_open(one.log) == set()
    assert read(one) == read(undisturbed())
