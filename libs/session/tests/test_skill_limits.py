"""Given an agent that loads a lot at once, or a runbook that a skill links to, then this follows."""

from collections.abc import Mapping

import pytest

from tarsy_contracts import events as e
from tarsy_contracts.conversation import ToolCall
from tarsy_contracts.messages.requests import ToolCallRequest
from tarsy_contracts.skills import PlannedSkill, Skill, SkillFile
from tarsy_contracts.wire.ids import tool_call_id
from tarsy_session.effects import ToolCallEffect, effects_of
from tarsy_session.prompts.skills import NAME
from tarsy_session.queue_requests import request_of
from tarsy_testing.story.story import SESSION, Story, agent, chain, stage

WIKI = "https://wiki.corp.example/disks"
DISKS = Skill(
    name="disks",
    description="When disks are full",
    body="Look at inodes.",
    files=(SkillFile(path="nfs.md", text="NFS has its own."),),
    runbooks=(WIKI,),
)
PODS = Skill(name="pods", description="When pods restart", body="Look at limits first.")


@pytest.fixture
def story() -> Story:
    planned = tuple(PlannedSkill(name=skill.name, digest=skill.digest) for skill in (DISKS, PODS))
    one = agent().model_copy(update={"skills": planned})
    return Story(plan=chain(stage(one)), skills=(DISKS, PODS)).asking()


def load(story: Story, *calls: Mapping[str, object]) -> list[e.ToolCallCompleted]:
    asked = tuple(
        ToolCall.model_validate({"id": tool_call_id(story.llm_call_id, at), "name": NAME, "arguments": arguments})
        for at, arguments in enumerate(calls)
    )
    events = story.when(story.answer().model_copy(update={"tool_calls": asked}))
    return [event for event in events if isinstance(event, e.ToolCallCompleted)]


def requests(story: Story) -> list[ToolCallRequest]:
    calls = [effect for effect in effects_of(story.state) if isinstance(effect, ToolCallEffect)]
    made = [request_of(SESSION, story.investigating, effect) for effect in calls]
    return [request for request in made if isinstance(request, ToolCallRequest)]


def test_one_answer_brings_each_text_once_however_often_it_asks(story: Story) -> None:
    """All of its calls end in one batch of the log."""
    first, second, third = load(story, {"names": ["disks"]}, {"names": ["disks", "pods"]}, {"names": ["disks"]})
    assert DISKS.body in first.content
    assert DISKS.body not in second.content
    assert PODS.body in second.content
    assert second.content.endswith("[disks: [call 1] of this answer has loaded it.]")
    assert (third.outcome, third.content) == ("ok", "[disks: [call 1] of this answer has loaded it.]")


def test_a_file_of_a_skill_is_another_text_than_the_skill(story: Story) -> None:
    calls = load(story, {"names": ["disks"]}, *[{"names": ["disks"], "path": "nfs.md"}] * 2)
    assert [call.content.count("NFS has its own.") for call in calls] == [0, 1, 0]


def test_what_was_not_there_is_not_said_to_be_loaded(story: Story) -> None:
    _, again = load(story, {"names": ["pods", "elsewhere"]}, {"names": ["elsewhere"]})
    assert again.outcome == "tool_error"


def test_a_later_answer_reads_it_again(story: Story) -> None:
    load(story, {"names": ["pods"]})
    (again,) = load(story, {"names": ["pods"]})
    assert PODS.body in again.content


@pytest.mark.parametrize("path", [WIKI, f"{WIKI}#inodes"])
def test_a_runbook_that_a_skill_links_to_is_fetched_by_the_gateway(story: Story, path: str) -> None:
    assert load(story, {"names": ["disks"], "path": path}) == []
    (request,) = requests(story)
    assert (request.server, request.tool, request.arguments) == ("tarsy", "fetch_runbook", {"url": WIKI})
    story.when(story.result(request.call_id, "Ask the storage team."))
    assert story.asked().iteration == 2


@pytest.mark.parametrize(
    ("names", "path"),
    [(["pods"], WIKI), (["disks"], "https://wiki.corp.example/other"), (["elsewhere"], WIKI), (["disks"], "http://x/")],
)
def test_an_address_that_the_skill_does_not_link_to_is_fetched_by_nobody(
    story: Story, names: list[str], path: str
) -> None:
    (answer,) = load(story, {"names": names, "path": path})
    assert answer.outcome == "tool_error"
    assert requests(story) == []


def test_a_skill_lists_its_files_and_runbooks(story: Story) -> None:
    (answer,) = load(story, {"names": ["disks"]})
    assert answer.content.endswith(f"to be read with {NAME} and `path`: nfs.md, {WIKI}")
