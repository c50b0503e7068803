"""The largest alert beside all skills that a configuration may have: no batch is too large, and no session is lost."""

import re
from collections.abc import Iterator
from functools import cache

import pytest

from tarsy_config.checks.skills import MOST_BYTES, require_masked_sizes
from tarsy_config.config import Config
from tarsy_config.errors import InvalidConfigError
from tarsy_config.skills.configured_skill import ConfiguredSkill
from tarsy_contracts.alert import ALERT_LIMIT_BYTES
from tarsy_contracts.conversation import ToolCall
from tarsy_contracts.events import SessionSkillsRecorded, ToolCallCompleted
from tarsy_contracts.messages import inputs as i
from tarsy_contracts.skills import PlannedSkill, Skill
from tarsy_contracts.wire.ids import tool_call_id
from tarsy_orchestrator.effects.chain_resolution import prepare_plans
from tarsy_orchestrator.partition.decision_batch import PendingInput, SessionTail, make_decisions
from tarsy_session.prompts.skills import NAME
from tarsy_session.state import NOT_STARTED
from tarsy_testing.story.story import ALERT, SESSION, Story, agent, chain, stage

CONTROL = "\x01"
"""Six bytes as JSON: whatever is measured in another way is too large with it."""
BODY = CONTROL * 10_000
AGENTS = 20


def configured(skills: dict[str, str]) -> Config:
    found = {name: Skill(name=name, description="d", body=body) for name, body in skills.items()}
    return Config.model_validate(
        {
            "agents": {"A": {}},
            "agent_chains": {
                "k": {"alert_types": ["kubernetes"], "stages": [{"name": "s", "agents": [{"name": "A"}]}]}
            },
            "llm_providers": {"scripted": {"type": "scripted", "script": "s.yaml"}},
            "defaults": {"llm_provider": "scripted", "alert_type": "kubernetes"},
        }
    ).with_skills(
        {name: ConfiguredSkill(one, one.digest, f"skills/{name}.md", "skills") for name, one in found.items()}
    )


@cache
def most_skills() -> tuple[Skill, ...]:
    return tuple(_until_too_many())


def _until_too_many() -> Iterator[Skill]:
    bodies: dict[str, str] = {}
    while True:
        bodies[f"s{len(bodies)}"] = BODY
        config = configured(bodies)
        try:
            require_masked_sizes(config)
        except InvalidConfigError:
            return
        yield config.skill_texts[-1]


@pytest.fixture
def story() -> Story:
    planned = tuple(PlannedSkill(name=skill.name, digest=skill.digest) for skill in most_skills())
    agents = [agent(f"A{number}").model_copy(update={"skills": planned}) for number in range(AGENTS)]
    empty = i.AlertReceived(alert=ALERT.model_copy(update={"data": ""}))
    data = CONTROL * ((ALERT_LIMIT_BYTES - len(empty.model_dump_json())) // len(r"\u0001"))
    return Story(plan=chain(stage(*agents)), skills=most_skills(), alert=ALERT.model_copy(update={"data": data}))


def test_the_largest_alert_begins_with_all_skills_that_fit(story: Story) -> None:
    assert len(most_skills()) * len(r"\u0001") * len(BODY) > MOST_BYTES * 0.9
    given = story.given(i.AlertReceived(alert=story.alert))
    (made,), _, undecided = make_decisions(
        [PendingInput(SESSION, given)], lambda _: SessionTail(NOT_STARTED, None, 0), source="test"
    )
    assert (undecided, made.unfit, len(made.entries)) == ([], "", 2)


def test_an_agent_that_loads_all_of_them_again_and_again_loses_no_answer(story: Story) -> None:
    story.asking()
    names = [skill.name for skill in most_skills()]
    loads = [names[at : at + 5] for at in range(0, len(names), 5)] * 3
    id = story.asked("A0").llm_call_id
    calls = tuple(
        ToolCall(id=tool_call_id(id, at), name=NAME, arguments={"names": [*names]}) for at, names in enumerate(loads)
    )
    answer = story.answer(agent="A0").model_copy(update={"tool_calls": calls})
    (made,), _, undecided = make_decisions(
        [PendingInput(SESSION, story.given(answer))],
        lambda _: SessionTail(story.state, "a" * 32, len(story.log)),
        source="test",
    )
    assert (undecided, made.unfit) == ([], "")
    completed = [event for event in story.when(answer) if isinstance(event, ToolCallCompleted)]
    assert [one.outcome for one in completed] == ["ok"] * len(loads)
    assert sum(one.content.count(BODY) for one in completed) == len(names)


def test_a_configuration_whose_masked_skills_are_too_long_is_refused() -> None:
    config = configured({f"s{number}": "x" * 50_000 for number in range(10)})
    with pytest.raises(InvalidConfigError, match=re.escape("agent_chains.k: masked, it has skills of 5")):
        prepare_plans(lambda text: text * 100, config, None)


def test_skills_of_a_session_are_those_that_its_plan_names_by_digest(story: Story) -> None:
    story.waiting()
    recorded = [record.event for record in story.log if isinstance(record.event, SessionSkillsRecorded)]
    planned = {skill.name: skill.digest for skill in story.chain.stages[0].agents[0].skills}
    assert {skill.name: skill.digest for skill in recorded[0].skills} == planned
