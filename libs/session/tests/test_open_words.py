"""Words that a later version of TARSy put on the log: what this one makes of them."""

import pytest

from tarsy_contracts import events as e
from tarsy_session.system_prompt import compose_system
from tarsy_testing.story.story import Story, agent, chain, stage, types

ORACLE = "The controller 'oracle' is not known to this version of TARSy."


def test_an_execution_whose_controller_is_not_known_fails_and_says_so() -> None:
    events = Story(plan=chain(stage(agent("A", controller="oracle")))).started().offered()
    ended = next(event for event in events if isinstance(event, e.ExecutionCompleted))
    assert (ended.status, ended.error) == ("failed", ORACLE)
    assert "llm_call.requested" not in types(events)
    failed = events[-1]
    assert isinstance(failed, e.SessionFailed)
    assert ORACLE in failed.error


def test_agents_beside_it_go_on() -> None:
    story = Story(plan=chain(stage(agent("A", controller="oracle"), agent("B")))).started()
    story.offered()
    assert story.asked("B").purpose == "iteration"


def test_an_answer_to_an_agent_whose_controller_is_not_known_is_not_interpreted() -> None:
    """It was asked by a later version, which was taken back meanwhile."""
    story = Story().asking()
    answer = story.answer(text="done")
    execution = story.execution()
    execution.agent.__dict__["controller"] = "oracle"
    events = story.when(answer)
    assert types(events)[:2] == ["llm_call.failed", "execution.completed"]
    ended = events[1]
    assert isinstance(ended, e.ExecutionCompleted)
    assert (ended.status, ended.error) == ("failed", ORACLE)


@pytest.mark.parametrize("stage_type", ["debate", "vote"])
def test_the_agents_of_a_stage_of_an_unknown_type_investigate(stage_type: str) -> None:
    said = [
        compose_system(agent("A"), stage_type=one, tools=(), unavailable_servers=())
        for one in (stage_type, "investigation")
    ]
    assert said[0] == said[1]
