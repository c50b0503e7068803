"""Given results that were too long for an agent, when it reads on in them, then this follows."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from pydantic import JsonValue

from tarsy_contracts import events as e
from tarsy_contracts.builtin_tools import OWN_SERVER, READ_RESULT
from tarsy_contracts.chain import ResolvedServer
from tarsy_contracts.conversation import AssistantMessage, ToolCall, ToolMessage
from tarsy_contracts.events import Piece, StoredResult
from tarsy_contracts.messages import inputs as i
from tarsy_contracts.messages.requests import LogPosition, ResultPlace, ToolCallRequest
from tarsy_contracts.wire.ids import summary_id, tool_call_id
from tarsy_session.builtin_tools.read_result import READ_RESULT_TOOL
from tarsy_session.conversations.conversation import build_conversation, list_offered_tools
from tarsy_session.effects import SummaryEffect, ToolCallEffect, effects_of
from tarsy_session.queue_requests import request_of
from tarsy_testing.story.story import READ, SESSION, UNREACHED, Story, agent, chain, stage, types

STORED = StoredResult(partition=3, pieces=(Piece(offset=7, size=100_000),), size=100_000, lines=2_000)


def cut(story: Story, call_id: str, *, stored: StoredResult | None = STORED) -> list[e.Event]:
    """Its result comes: the log has the beginning."""
    reported = story.result(call_id, "first\nsecond\n", size=100)
    return story.when(reported.model_copy(update={"cut": True, "lines": 2_000, "stored": stored}))


def read_on(story: Story, **arguments: JsonValue) -> list[e.Event]:
    """The model asks for it."""
    call = ToolCall(id=tool_call_id(story.llm_call_id, 0), name=READ_RESULT_TOOL.definition.name, arguments=arguments)
    return story.when(story.answer().model_copy(update={"tool_calls": (call,)}))


def last_result(story: Story) -> str:
    """Without what stands above each: its call, and when it came."""
    message = build_conversation(story.investigating, story.execution()).messages[-1]
    assert isinstance(message, ToolMessage)
    return message.content.split("\n\n", 2)[2]


def place_asked_for(story: Story) -> ResultPlace | None:
    (one,) = [one for one in effects_of(story.state) if isinstance(one, ToolCallEffect)]
    request = request_of(SESSION, story.investigating, one)
    assert isinstance(request, ToolCallRequest)
    assert (request.server, request.tool, request.repeatable) == (OWN_SERVER, READ_RESULT, True)
    return request.reads


# Who has it


def test_whoever_has_tools_has_it_too_and_last() -> None:
    story = Story().asking()
    assert [one.name for one in list_offered_tools(story.execution())][-1] == "tarsy__read_result"
    assert story.execution().tools[-1] == READ_RESULT_TOOL


def test_a_selection_of_tools_does_not_take_it_away() -> None:
    narrow = agent().model_copy(update={"servers": (ResolvedServer(server="kubernetes", tools=("pods_list",)),)})
    story = Story(plan=chain(stage(narrow))).asking()
    assert [one.tool for one in story.execution().tools] == ["pods_list", READ_RESULT]


def test_who_has_no_tools_does_not_have_it() -> None:
    alone = agent().model_copy(update={"servers": ()})
    assert list_offered_tools(Story(plan=chain(stage(alone))).started().execution()) == ()


def test_who_cannot_reach_any_server_does_not_have_it() -> None:
    story = Story().started()
    id = story.investigating.stages[-1].started.stage_id
    gone = i.UnavailableServer(server="kubernetes", reason=UNREACHED)
    story.when(i.ToolsOffered(stage_id=id, tools=(), unavailable_servers=(gone,)))
    assert list_offered_tools(story.execution()) == ()


def test_an_agent_that_writes_its_calls_is_told_of_it_and_may_write_a_dot() -> None:
    story = Story(plan=chain(stage(agent(controller="react")))).asking()
    assert "### tarsy__read_result" in build_conversation(story.investigating, story.execution()).system
    story.when(story.answer("Thought: x\nAction: kubernetes__pods_list\nAction Input: {}"))
    cut(story, story.call_ids[0])
    written = f'Thought: x\nAction: tarsy.read_result\nAction Input: {{"result": "{story.call_ids[0][:8]}"}}'
    assert types(story.when(story.answer(written))) == ["llm_call.completed", "tool_call.requested"]
    assert place_asked_for(story) is not None


# What it is told


def test_a_note_of_one_line_says_how_to_read_on_in_what_was_cut() -> None:
    story = Story().calling(READ)
    cut(story, story.call_ids[0])
    assert last_result(story).split("\n")[0] == (
        "[The result had 2000 lines (100 bytes). This is its beginning; the rest was left out. To read on:"
        f' tarsy__read_result with result "{story.call_ids[0][:8]}", offset 2.]'
    )


def test_the_note_of_a_summary_says_so_too() -> None:
    story = Story().calling(READ)
    story.when(story.result(story.call_ids[0], size=1_000_000))
    story.when(story.summary(summary_id(story.call_ids[0])))
    note = last_result(story).split("\n")[0]
    assert note.endswith(f'To read in it: tarsy__read_result with result "{story.call_ids[0][:8]}".]')


def test_whose_execution_began_without_the_tool_is_not_told_of_it() -> None:
    """An older orchestrator has offered nothing but the servers' tools."""
    story = Story().calling(READ)
    cut(story, story.call_ids[0])
    with_it = build_conversation(story.investigating, story.execution())
    execution = story.execution()
    state = story.investigating
    executions = {**state.executions, execution.id: replace(execution, tools=(READ,))}
    without = build_conversation(replace(state, executions=executions), executions[execution.id])
    assert "read_result" in str(with_it)
    assert "read_result" not in str(without)


# What follows


@pytest.mark.parametrize("write", [str, lambda id: id[:8], lambda id: f'"{id[:8].upper()}"', lambda id: id[:13]])
def test_the_id_in_the_note_leads_to_where_the_result_lies(write: Callable[[str], str]) -> None:
    story = Story().calling(READ)
    cut(story, story.call_ids[0])
    lies_at = story.log[-2]
    assert types(read_on(story, result=write(story.call_ids[0]), offset=2)) == [
        "llm_call.completed", "tool_call.requested",
    ]  # fmt: skip
    assert isinstance(lies_at.event, e.ToolCallCompleted)
    assert place_asked_for(story) == ResultPlace(
        call_id=story.call_ids[0],
        event=LogPosition(partition=lies_at.partition, offset=lies_at.offset),
        stored=STORED,
    )


def test_what_was_only_summarised_lies_in_its_event() -> None:
    story = Story().calling(READ)
    story.when(story.result(story.call_ids[0], size=1_000_000))
    story.when(story.summary(summary_id(story.call_ids[0])))
    read_on(story, result=story.call_ids[0][:8])
    place = place_asked_for(story)
    assert place is not None
    assert place.stored is None
    (record,) = [record for record in story.log if record.offset == place.event.offset]
    assert isinstance(record.event, e.ToolCallCompleted)
    assert record.event.call_id == story.call_ids[0]


def test_what_is_read_is_never_summarised_nor_noted() -> None:
    story = Story().calling(READ)
    cut(story, story.call_ids[0])
    read_on(story, result=story.call_ids[0][:8])
    story.when(story.result(story.call_ids[-1], "l\n" * 20_000))
    assert [one for one in effects_of(story.state) if isinstance(one, SummaryEffect)] == []
    assert last_result(story).startswith("<<<TOOL RESULT\nl\nl\n")


@pytest.mark.parametrize("given", ["deadbeef", "1", "", None, 7, "the last one"])
def test_an_id_that_nobody_has_is_refused_at_once_with_those_that_there_are(given: JsonValue) -> None:
    story = Story().calling(READ)
    cut(story, story.call_ids[0])
    events = read_on(story, result=given)
    assert types(events) == ["llm_call.completed", "tool_call.requested", "tool_call.completed", "llm_call.requested"]
    refused = events[2]
    assert isinstance(refused, e.ToolCallCompleted)
    assert refused.outcome == "rejected"
    assert f"There are: {story.call_ids[0][:8]} (kubernetes.pods_list, 2000 lines)." in refused.content
    assert not [one for one in effects_of(story.state) if isinstance(one, ToolCallEffect)]


def test_when_nothing_was_left_out_this_is_said() -> None:
    story = Story().calling(READ)
    story.when(story.result(story.call_ids[0], "fine"))
    refused = read_on(story, result="deadbeef")[2]
    assert isinstance(refused, e.ToolCallCompleted)
    assert "you have seen all there is" in refused.content


def test_a_call_that_has_not_ended_cannot_be_read() -> None:
    story = Story(plan=chain(stage(agent("A"), agent("B")))).asking()
    story.when(story.answer(tools=(READ,), agent="A"))
    open_call = story.call_ids[0]
    call = ToolCall(
        id=tool_call_id(story.asked("B").llm_call_id, 0), name=READ_RESULT_TOOL.definition.name, arguments={}
    )
    call = call.model_copy(update={"arguments": {"result": open_call}})
    events = story.when(story.answer(agent="B").model_copy(update={"tool_calls": (call,)}))
    assert "tool_call.completed" in types(events)


def test_an_agent_may_read_what_another_of_its_session_was_given() -> None:
    story = Story(plan=chain(stage(agent("A"), agent("B")))).asking()
    story.when(story.answer(tools=(READ,), agent="A"))
    cut(story, story.call_ids[0])
    call = ToolCall(
        id=tool_call_id(story.asked("B").llm_call_id, 0),
        name=READ_RESULT_TOOL.definition.name,
        arguments={"result": story.call_ids[0][:8]},
    )
    story.when(story.answer(agent="B").model_copy(update={"tool_calls": (call,)}))
    assert place_asked_for(story) is not None


def test_two_results_that_begin_alike_have_to_be_told_apart() -> None:
    """Eight digits are enough for a session, but for one in millions."""
    story = Story().calling(READ)
    alike = [f"1a2b3c4d-0000-5000-8000-00000000000{number}" for number in range(2)]
    requested = [record.event for record in story.log if isinstance(record.event, e.ToolCallRequested)]
    given = story.given(i.SessionAdmitted())
    cut(story, story.call_ids[0])
    for id in alike:
        story.append(requested[0].model_copy(update={"call_id": id}), given)
        story.append(e.ToolCallCompleted(call_id=id, outcome="ok", content="x", cut=True, size=9, lines=9), given)
    refused = read_on(story, result="1a2b3c4d")[2]
    assert isinstance(refused, e.ToolCallCompleted)
    assert all(id in refused.content for id in alike)
    read_on(story, result=alike[1])
    place = place_asked_for(story)
    assert place is not None
    assert place.call_id == alike[1]


def test_a_result_that_comes_later_and_begins_alike_changes_nothing() -> None:
    """The request is composed anew whenever it is published again."""
    story = Story().calling(READ)
    cut(story, story.call_ids[0])
    read_on(story, result=story.call_ids[0][:8])
    asked = place_asked_for(story)
    alike = f"{story.call_ids[0][:-1]}x"
    state = story.investigating
    first = state.calls[story.call_ids[0]]
    requested = first.requested.model_copy(update={"call_id": alike})
    story.state = replace(state, calls={alike: replace(first, requested=requested), **state.calls})
    assert place_asked_for(story) != asked
    story.state = replace(state, calls={**state.calls, alike: replace(first, requested=requested)})
    assert place_asked_for(story) == asked


def test_the_list_of_results_is_bounded() -> None:
    story = Story(max_iterations=50).calling(*[READ] * 30)
    for call_id in story.call_ids:
        cut(story, call_id)
    refused = read_on(story, result="deadbeef")[2]
    assert isinstance(refused, e.ToolCallCompleted)
    assert "There are: 10 earlier ones and " in refused.content
    assert story.call_ids[29][:8] in refused.content
    assert story.call_ids[9][:8] not in refused.content


def test_the_conversation_keeps_what_the_model_wrote() -> None:
    story = Story().calling(READ)
    cut(story, story.call_ids[0])
    read_on(story, result=story.call_ids[0][:8], search="OOM")
    story.when(story.result(story.call_ids[-1], "[1 match ...]"))
    said = build_conversation(story.investigating, story.execution()).messages[-2]
    assert isinstance(said, AssistantMessage)
    assert said.tool_calls[0].arguments == {"result": story.call_ids[0][:8], "search": "OOM"}
