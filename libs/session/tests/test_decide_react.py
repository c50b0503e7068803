"""Given an agent that calls its tools in plain text, when it answers, then this follows."""

from tarsy_contracts import events as e
from tarsy_contracts.conversation import AssistantMessage, UserMessage
from tarsy_contracts.wire.ids import tool_call_id
from tarsy_session.conversations.conversation import build_conversation, list_offered_tools
from tarsy_session.state import AtRest
from tarsy_testing.story.story import Story, agent, chain, stage, types

LOOKING = 'Thought: the pods first\nAction: kubernetes__pods_list\nAction Input: {"namespace": "shop"}'


def reacting(max_iterations: int = 3) -> Story:
    return Story(plan=chain(stage(agent("A", controller="react", max_iterations=max_iterations)))).asking()


def test_its_tools_are_told_in_its_instructions_and_not_offered_to_the_provider() -> None:
    story = reacting()
    assert "kubernetes__pods_list" in build_conversation(story.investigating, story.execution()).system
    assert list_offered_tools(story.execution()) == ()


def test_an_action_becomes_a_call_and_its_result_an_observation() -> None:
    story = reacting()
    asked = story.llm_call_id
    events = story.when(story.answer(f"{LOOKING}\nObservation: all is well"))
    assert types(events) == ["llm_call.completed", "tool_call.requested"]
    assert isinstance(events[1], e.ToolCallRequested)
    assert (events[1].call_id, events[1].tool) == (tool_call_id(asked, 0), "pods_list")
    assert events[1].arguments == {"namespace": "shop"}
    story.when(story.result(story.call_ids[0], "three pods crash"))
    _, said, observed = build_conversation(story.investigating, story.execution()).messages
    assert isinstance(said, AssistantMessage)
    assert (said.content.strip(), said.tool_calls) == (LOOKING, ())
    assert isinstance(observed, UserMessage)
    assert "three pods crash" in observed.content


def test_an_answer_without_any_form_is_answered_by_a_reminder_and_asked_again() -> None:
    story = reacting()
    events = story.when(story.answer("I would look at the pods."))
    assert types(events) == ["llm_call.completed", "llm_call.requested"]
    assert isinstance(events[0], e.LlmCallCompleted)
    assert events[0].reminder
    assert build_conversation(story.investigating, story.execution()).messages[-1].content == events[0].reminder


def test_a_final_answer_ends_it_and_only_that_is_the_analysis() -> None:
    story = reacting()
    story.when(story.answer("Thought: I know enough\nFinal Answer: the cause is X"))
    assert isinstance(story.state, AtRest)
    assert story.state.ended == e.SessionCompleted(final_analysis="the cause is X")


def test_what_it_says_past_its_last_iteration_is_its_conclusion_in_whatever_form() -> None:
    story = reacting(max_iterations=1)
    story.when(story.answer(LOOKING))
    story.when(story.result(story.call_ids[0]))
    assert story.asked().purpose == "conclusion"
    story.when(story.answer("it must be the memory"))
    assert isinstance(story.state, AtRest)
    assert story.state.ended == e.SessionCompleted(final_analysis="it must be the memory")
