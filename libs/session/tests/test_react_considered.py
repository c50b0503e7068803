"""Nothing is run that an agent only considered: from an answer that was cut, from thoughts, from quotations."""

import pytest
from react_tools import TOOLS

from tarsy_session.controllers.react.parsing import parse_answer
from tarsy_testing.story.story import Story, agent, chain, stage, types

DELETE = 'Action: kubernetes__delete-pod\nAction Input: {"name": "checkout-1"}'
REAL = "Action: kubernetes__pods_list\nAction Input: {}"

CONSIDERED = {
    "a thought without an end": f"<think>\nMaybe restart it:\n{DELETE}\nHmm, wrong before I know whether",
    "a second thought without an end": f"<think>Hm.</think>\nI look.\n<think>\n{DELETE}\n",
    "a line that is quoted": "Thought: it says\n> Action: kubernetes__delete-pod\n> Action Input: {}\nbut why?",
}
QUOTED = {
    "a fence before it": f"Thought: the runbook says\n```\n{DELETE}\n```\nbut I look first.\n{REAL}",
    "a fence with a language": f"Thought: not this:\n```text\n{DELETE}\n```\n\n{REAL}",
    "another kind of fence": f"Thought: not this:\n~~~\n{DELETE}\n~~~\n{REAL}",
    "quoted lines before it": f"Thought: not this:\n> {DELETE.replace(chr(10), chr(10) + '> ')}\n\n{REAL}",
    "two thoughts before it": f"<think>{DELETE}</think>\n<think>\n{DELETE}\n</think>\n{REAL}",
}


@pytest.mark.parametrize("text", CONSIDERED.values(), ids=CONSIDERED.keys())
def test_what_is_only_considered_is_not_run_and_the_agent_is_reminded(text: str) -> None:
    reading = parse_answer(text, TOOLS)
    assert (reading.call, reading.final_answer) == (None, "")
    assert reading.reminder


@pytest.mark.parametrize("text", QUOTED.values(), ids=QUOTED.keys())
def test_the_action_behind_a_quotation_is_run(text: str) -> None:
    reading = parse_answer(text, TOOLS)
    assert reading.call is not None
    assert reading.call.name == "kubernetes__pods_list"


def test_nothing_is_run_from_an_answer_that_was_cut() -> None:
    story = Story(plan=chain(stage(agent("A", controller="react")))).asking()
    cut = story.answer("Action: kubernetes__pods_delete\nAction Input: {}").model_copy(update={"cut": True})
    assert types(story.when(cut)) == ["llm_call.completed", "llm_call.requested"]
