"""Given an agent with skills, when it is asked, and when it loads one, then this is what it reads."""

from dataclasses import replace

import pytest
from pydantic import JsonValue

from tarsy_contracts import events as e
from tarsy_contracts.chain import ResolvedAgent
from tarsy_contracts.conversation import ToolCall
from tarsy_contracts.events.recorded import RecordedEvent
from tarsy_contracts.skills import PlannedSkill, Skill, SkillFile
from tarsy_contracts.timeline.changes import TimelineCreated, timeline_changes
from tarsy_contracts.wire.ids import tool_call_id
from tarsy_session.builtin_tools.load_skill import MOST_AT_ONCE
from tarsy_session.conversations.conversation import build_conversation
from tarsy_session.effects import ToolCallEffect, effects_of
from tarsy_session.evolve import evolve
from tarsy_session.prompts.skills import NAME
from tarsy_session.state import NOT_STARTED, AtRest
from tarsy_testing.story.story import READ, Story, agent, chain, stage, types

PODS = Skill(name="pods", description="When pods restart", body="Look at limits first.")
DISKS = Skill(
    name="disks",
    description="When disks are full",
    body="Look at inodes.",
    files=(SkillFile(path="references/nfs.md", text="NFS has its own."),),
)
HOUSE = Skill(name="house", description="Our words", body="The shop is called Emma.")
CLOUD = Skill(name="cloud", description="Quotas", body="Ask for more.", tools=("aws", "kubernetes.nodes_*"))
NIGHT = Skill(name="night", description="At night", body="Wake Ann.", alert_types=("nightly",))
ALL = (PODS, DISKS, HOUSE, CLOUD, NIGHT)


def with_skills(one: ResolvedAgent, *skills: Skill, required: tuple[Skill, ...] = ()) -> ResolvedAgent:
    planned = [
        PlannedSkill(name=skill.name, digest=skill.digest, required=skill in required) for skill in (*required, *skills)
    ]
    return one.model_copy(update={"skills": tuple(planned)})


def story_of(*skills: Skill, required: tuple[Skill, ...] = ()) -> Story:
    return Story(plan=chain(stage(with_skills(agent(), *skills, required=required))), skills=ALL)


@pytest.fixture
def story() -> Story:
    return story_of(PODS, DISKS, required=(HOUSE,)).asking()


def load(story: Story, **arguments: JsonValue) -> e.ToolCallCompleted:
    call = ToolCall(id=tool_call_id(story.llm_call_id, 0), name=NAME, arguments=arguments)
    events = story.when(story.answer().model_copy(update={"tool_calls": (call,)}))
    (completed,) = (event for event in events if isinstance(event, e.ToolCallCompleted))
    return completed


def system(story: Story) -> str:
    return build_conversation(story.investigating, story.execution()).system


def read_back(record: RecordedEvent) -> RecordedEvent:
    """As an owner that takes over reads it."""
    event = record.event
    return record if event is None else replace(record, event=type(event).model_validate_json(event.to_bytes()))


def test_a_required_skill_stands_in_the_instructions_and_others_with_a_line(story: Story) -> None:
    told = system(story)
    assert HOUSE.body in told
    assert f"- pods: {PODS.description}" in told
    assert PODS.body not in told


def test_the_bodies_stand_on_the_log_once_behind_the_beginning() -> None:
    story = Story(plan=chain(stage(with_skills(agent("A"), required=(HOUSE,)), with_skills(agent("B"), HOUSE))))
    story.skills = ALL
    story.asking()
    assert types([record.event for record in story.log[:2] if record.event]) == [
        "session.started",
        "session.skills_recorded",
    ]
    assert sum(HOUSE.body.encode() in record.event.to_bytes() for record in story.log if record.event) == 1


def test_the_timeline_says_which_an_agent_has(story: Story) -> None:
    shown = [
        change
        for record in story.log
        for change in timeline_changes(record)
        if isinstance(change, TimelineCreated) and change.event_type == "skill_loaded"
    ]
    assert [change.content for change in shown] == ["In the instructions: house\n\nTo be loaded: pods, disks"]


def test_without_skills_nothing_is_recorded_and_no_tool_is_offered() -> None:
    story = Story(skills=ALL).asking()
    assert not [record for record in story.log if isinstance(record.event, e.SessionSkillsRecorded)]
    assert NAME not in [tool.definition.name for tool in story.execution().tools]


def test_a_loaded_skill_is_a_result_like_any_and_no_worker_is_asked(story: Story) -> None:
    assert load(story, names=["pods"]).outcome == "ok"
    assert PODS.body in str(build_conversation(story.investigating, story.execution()).messages[-1])
    assert not [effect for effect in effects_of(story.state) if isinstance(effect, ToolCallEffect)]
    assert story.asked().iteration == 2


def test_those_that_are_there_come_with_a_word_on_the_others(story: Story) -> None:
    loaded = load(story, names=["pods", "elsewhere", "disks"])
    assert loaded.outcome == "ok"
    assert PODS.body in loaded.content
    assert DISKS.body in loaded.content
    assert loaded.content.endswith("[There is no skill 'elsewhere' for you. There are: disks, house, pods.]")


def test_where_none_is_there_the_tool_reports_an_error(story: Story) -> None:
    assert load(story, names=["elsewhere", "night"]).outcome == "tool_error"


def test_a_further_file_is_read_by_its_path(story: Story) -> None:
    assert "references/nfs.md" in load(story, names=["disks"]).content
    assert load(story, names="disks", path="references/nfs.md").content == "NFS has its own."


@pytest.mark.parametrize("path", ["../pods/SKILL.md", "/etc/passwd", "references/../references/nfs.md", "SKILL.md"])
def test_a_path_is_a_name_on_the_log_and_leads_nowhere_else(story: Story, path: str) -> None:
    answer = load(story, names=["disks"], path=path)
    assert answer.outcome == "tool_error"
    assert "It has: references/nfs.md." in answer.content


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"names": []},
        {"names": [3]},
        {"names": [f"s{number}" for number in range(MOST_AT_ONCE + 1)]},
        {"names": ["pods", "disks"], "path": "references/nfs.md"},
        {"names": ["pods"], "path": 3},
    ],
)
def test_arguments_that_say_nothing_are_refused(story: Story, arguments: dict[str, JsonValue]) -> None:
    assert load(story, **arguments).outcome == "rejected"


def test_a_skill_for_other_alerts_is_left_out_unless_it_is_required() -> None:
    assert [skill.name for skill in story_of(PODS, NIGHT).asking().execution().started.skills] == ["pods"]
    assert NIGHT.body in system(story_of(required=(NIGHT,)).asking())


@pytest.mark.parametrize(
    ("patterns", "fits"),
    [((), True), (("kubernetes",), True), (("pods_*",), True), (("kubernetes.pods_list",), True), (("aws",), False)],
)
def test_a_skill_is_offered_to_agents_that_have_one_of_its_tools(patterns: tuple[str, ...], fits: bool) -> None:
    skill = PODS.model_copy(update={"tools": patterns})
    story = story_of(skill)
    story.skills = (skill,)
    story.started().offered(READ)
    assert bool(story.execution().started.skills) is fits
    assert (NAME in [tool.definition.name for tool in story.execution().tools]) is fits


def test_another_configuration_changes_nothing_for_a_session_that_has_begun(story: Story) -> None:
    story.skills = (PODS.model_copy(update={"body": "Look at nothing."}),)
    assert PODS.body in load(story, names=["pods"]).content


def test_whoever_takes_over_owes_the_same_and_reads_the_same(story: Story) -> None:
    load(story, names=["pods", "disks"])
    again = Story()
    for record in story.log:
        again.state = evolve(again.state, read_back(record))
    assert again.state == story.state
    assert system(again) == system(story)
    assert effects_of(again.state) == effects_of(story.state)


def test_the_agent_that_answers_questions_reads_what_the_session_began_with(story: Story) -> None:
    plan = story.chain
    answerer = with_skills(agent("ChatAgent"), DISKS)
    story = Story(plan=plan.model_copy(update={"chat": answerer}), skills=ALL).ended()
    assert isinstance(story.state, AtRest)
    story.skills = ()
    story.questioned()
    assert DISKS.body in load(story, names=["disks"]).content


def test_skills_that_come_too_late_are_of_code_that_this_code_does_not_know(story: Story) -> None:
    late = replace(story.log[1], event=e.SessionSkillsRecorded(skills=()))
    assert type(evolve(story.state, late)).__name__ == "Unsupported"
    assert type(evolve(NOT_STARTED, late)).__name__ == "Unsupported"


def test_the_digest_is_that_of_what_an_agent_can_read() -> None:
    assert PODS.digest == PODS.model_copy(update={"alert_types": ("x",)}).digest
    assert PODS.digest != PODS.model_copy(update={"body": "x"}).digest
    assert DISKS.digest != DISKS.model_copy(update={"files": ()}).digest
