"""Given a built-in tool that the core runs itself, when an agent calls it, then this follows."""

from collections.abc import Sequence

import pytest

from tarsy_contracts import events as e
from tarsy_contracts.builtin_tools import OWN_SERVER
from tarsy_contracts.conversation import ToolCall, ToolDefinition
from tarsy_contracts.wire.ids import tool_call_id
from tarsy_session.builtin_tools import BUILTIN_TOOLS
from tarsy_session.builtin_tools.tool import BuiltinTool
from tarsy_session.conversations.conversation import build_conversation
from tarsy_session.effects import ToolCallEffect, effects_of
from tarsy_session.replies import cancellations
from tarsy_session.state import Investigating, ToolCallState
from tarsy_session.tool_answers import answer_call
from tarsy_testing.story.story import READ, Story, agent, chain, stage, types

NAME = f"{OWN_SERVER}__count_calls"
OFFER = e.OfferedTool(
    server=OWN_SERVER,
    tool="count_calls",
    repeatable=True,
    read_only=True,
    definition=ToolDefinition(name=NAME, description="Counts the calls that ended.", input_schema={"type": "object"}),
)


def count(state: Investigating, call: ToolCallState) -> Sequence[e.Event]:
    ended = sum(not one.open for one in state.calls.values())
    return [answer_call(call.requested.call_id, "ok", f"{ended} ended")]


@pytest.fixture
def story(monkeypatch: pytest.MonkeyPatch) -> Story:
    counting = BuiltinTool(OFFER, offered_to=lambda _, agent, tools: agent.name == "A", run=count)
    monkeypatch.setitem(BUILTIN_TOOLS, OFFER.tool, counting)
    return Story(plan=chain(stage(agent("A"), agent("B")))).asking()


def calls(story: Story, *names: str) -> list[e.Event]:
    asked = story.asked("A").llm_call_id
    made = [ToolCall(id=tool_call_id(asked, at), name=name, arguments={"n": at}) for at, name in enumerate(names)]
    return story.when(story.answer(agent="A").model_copy(update={"tool_calls": tuple(made)}))


def test_its_call_ends_in_the_decision_that_asks_for_it(story: Story) -> None:
    events = calls(story, NAME)
    assert types(events) == ["llm_call.completed", "tool_call.requested", "tool_call.completed", "llm_call.requested"]
    assert "0 ended" in str(build_conversation(story.investigating, story.execution("A")).messages[-1])


def test_each_call_sees_what_the_one_before_it_came_to(story: Story) -> None:
    ended = [event.content for event in calls(story, NAME, NAME) if isinstance(event, e.ToolCallCompleted)]
    assert ended == ["0 ended", "1 ended"]


def test_no_worker_is_asked_for_it_or_told_to_stop(story: Story) -> None:
    calls(story, NAME, READ.definition.name)
    (owed,) = (effect for effect in effects_of(story.state) if isinstance(effect, ToolCallEffect))
    assert owed.call.requested.tool == READ.tool
    assert cancellations(story.state) == []


def test_it_is_offered_last_and_only_to_whom_it_is_for(story: Story) -> None:
    assert story.execution("A").tools == (*story.execution("B").tools, OFFER)
