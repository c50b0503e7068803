"""One answer of a model that brings many calls."""

from tarsy_contracts import events as e
from tarsy_contracts.conversation import UserMessage
from tarsy_session.controllers.function_calling import MOST_CALLS
from tarsy_session.conversations.conversation import build_conversation
from tarsy_testing.story.story import READ, Story, types


def test_as_many_as_one_answer_may_bring_are_made_and_the_agent_is_told_of_the_rest() -> None:
    story = Story().asking()
    answer = story.answer(tools=(READ,) * 1_000).model_copy(update={"opaque": {"calls": 1_000}, "calls_left_out": 500})
    events = story.when(answer)
    assert types(events) == ["llm_call.completed", *["tool_call.requested"] * MOST_CALLS]
    completed = events[0]
    assert isinstance(completed, e.LlmCallCompleted)
    assert (len(completed.tool_calls), completed.opaque) == (MOST_CALLS, None)
    for call_id in story.call_ids:
        story.when(story.result(call_id))
    *_, last = build_conversation(story.investigating, story.execution()).messages
    assert isinstance(last, UserMessage)
    assert last.content.startswith(f"You asked for 1500 calls at once. Only the first {MOST_CALLS} were made")
    assert story.execution().iteration == 2


def test_who_asks_for_no_more_than_that_is_told_nothing() -> None:
    story = Story().asking()
    completed = story.when(story.answer(tools=(READ,) * MOST_CALLS))[0]
    assert isinstance(completed, e.LlmCallCompleted)
    assert (len(completed.tool_calls), completed.reminder) == (MOST_CALLS, "")
