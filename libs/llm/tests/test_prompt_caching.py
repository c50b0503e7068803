"""What providers may keep in their caches: each request of a conversation begins with the one before it."""

import json
from collections.abc import Sequence
from itertools import pairwise

import pytest
from asking import PODS, answer_of, asked, request, two_calls
from claude import CALLS
from claude import HI as CLAUDE_HI
from claude import streamed as claude_streamed
from completions import HI as OPENAI_HI
from completions import call, chunk
from completions import streamed as openai_streamed
from gemini import asked as gemini_asked
from gemini import call as gemini_call
from gemini import chunk as gemini_chunk
from gemini import streamed as gemini_streamed
from gemini import text as gemini_text
from wire import Asked

from tarsy_contracts.conversation import (
    AssistantMessage,
    ConversationMessage,
    ToolDefinition,
    ToolMessage,
    UserMessage,
)
from tarsy_llm.anthropic.adapter import AnthropicLlm
from tarsy_llm.model_settings import ModelSettings
from tarsy_llm.openai.adapter import OpenAiLlm
from tarsy_llm.openai.wire import request_body
from tarsy_llm.protocol import Answer, Llm

LOGS = ToolDefinition(name="kubernetes__logs", description="Logs.", input_schema={"type": "object"})
TOOLS = (PODS, LOGS)
ITERATIONS = 4
MARK = b',"cache_control":{"type":"ephemeral"}'


def results(answer: Answer, iteration: int) -> list[ToolMessage]:
    return [
        ToolMessage(tool_call_id=f"call-{index}", tool_name=asked.name, content=f"{iteration}: checkout-{index} OOM")
        for index, asked in enumerate(answer.tool_calls, start=1)
    ]


async def investigate(llm: Llm) -> None:
    """Asks, with what the model has answered and what its calls returned, and at the end to conclude."""
    messages: list[ConversationMessage] = [UserMessage(content="Why does the pod crash?")]
    for iteration in range(1, ITERATIONS + 1):
        answer = await answer_of(llm, request(*messages, tools=TOOLS).model_copy(update={"iteration": iteration}))
        messages += [two_calls(answer), *results(answer, iteration)]
    await answer_of(
        llm, request(*messages, UserMessage(content="Conclude."), tools=TOOLS).model_copy(update={"is_last": True})
    )


def split(said: Asked, key: str) -> tuple[str, str]:
    """The messages, and all else of a body, as they were on the wire, without Anthropic's marks."""
    text = said.body.replace(MARK, b"").decode()
    begin = text.index(f'"{key}":') + len(key) + 3
    begin += len(text[begin:]) - len(text[begin:].lstrip())
    _, end = json.JSONDecoder().raw_decode(text, begin)
    return text[begin:end], text[:begin] + text[end:]


def assert_growing(said: Sequence[Asked], key: str) -> None:
    """All but the messages is the same, byte for byte, and each request's messages begin with those before."""
    messages, others = zip(*(split(one, key) for one in said), strict=True)
    assert len(set(others)) == 1
    for before, after in pairwise(messages):
        assert after.startswith(before.removesuffix("]") + ",")


OPENAI_CALLS = openai_streamed(
    chunk({"content": "I look."}),
    chunk(call(0, '{"namespace": "shop"}', "kubernetes__pods", "a")),
    chunk(call(1, '{"namespace": "x"}', "kubernetes__logs", "b")),
    chunk(finish="tool_calls"),
)
GEMINI_CALLS = gemini_streamed(
    gemini_chunk(gemini_text("I look.")),
    gemini_chunk(gemini_call("kubernetes__pods", {"namespace": "shop"}, "c2ln"), gemini_call("kubernetes__logs", {})),
    gemini_chunk(finish="STOP"),
)
GEMINI_HI = gemini_streamed(gemini_chunk(gemini_text("Hi"), finish="STOP"))


async def test_requests_to_openai_begin_with_the_one_before() -> None:
    async with asked(OpenAiLlm, *[OPENAI_CALLS] * ITERATIONS, OPENAI_HI) as (llm, server):
        await investigate(llm)
    said = server.asked[:ITERATIONS]
    assert_growing(said, "messages")
    # The messages are the end of the body: all of it begins like the request before.
    for before, after in pairwise(said):
        assert after.body.startswith(before.body.removesuffix(b"]}"))


async def test_requests_to_gemini_begin_with_the_one_before() -> None:
    async with gemini_asked(*[GEMINI_CALLS] * ITERATIONS, GEMINI_HI) as (llm, server):
        await investigate(llm)
    assert_growing(server.asked[:ITERATIONS], "contents")


async def test_requests_to_claude_begin_with_the_one_before_and_read_where_it_wrote() -> None:
    async with asked(AnthropicLlm, *[claude_streamed(*CALLS)] * ITERATIONS, CLAUDE_HI, model="claude-opus-5") as (
        llm,
        server,
    ):
        await investigate(llm)
    said = server.asked[:ITERATIONS]
    assert_growing(said, "messages")
    places = [marked_places(one) for one in said]
    assert places == [[0], [0, 2], [2, 4], [4, 6]]


def marked_places(said: Asked) -> list[int]:
    """The messages of which a block is marked: always the last one."""
    body = json.loads(said.body)
    assert "cache_control" in body["tools"][-1]
    assert "cache_control" in body["system"][-1]
    assert sum("cache_control" in tool for tool in body["tools"]) == 1
    marked = [
        place for place, turn in enumerate(body["messages"]) if any("cache_control" in one for one in turn["content"])
    ]
    assert all("cache_control" in body["messages"][place]["content"][-1] for place in marked)
    return marked


async def test_a_conclusion_of_claude_keeps_the_tools_that_it_may_not_call_and_writes_nothing_for_later() -> None:
    async with asked(AnthropicLlm, *[claude_streamed(*CALLS)] * ITERATIONS, CLAUDE_HI, model="claude-opus-5") as (
        llm,
        server,
    ):
        await investigate(llm)
    before, last = (json.loads(one.body) for one in server.asked[-2:])
    assert (last["tools"], last["system"]) == (before["tools"], before["system"])
    assert last["tool_choice"] == {"type": "none"}
    assert marked_places(server.asked[-1]) == []


async def test_a_conclusion_without_tools_reads_where_the_request_before_wrote() -> None:
    """As of an agent that calls its tools in plain text."""
    history = (
        UserMessage(content="Why?"),
        AssistantMessage(content="Action: look"),
        UserMessage(content="Conclude."),
    )
    async with asked(AnthropicLlm, CLAUDE_HI) as (llm, server):
        await answer_of(llm, request(*history, tools=()).model_copy(update={"is_last": True}))
    body = json.loads(server.asked[0].body)
    marked = [any("cache_control" in block for block in turn["content"]) for turn in body["messages"]]
    assert marked == [True, False, False]


async def test_a_conclusion_of_gemini_keeps_the_tools_that_it_may_not_call() -> None:
    async with gemini_asked(*[GEMINI_CALLS] * ITERATIONS, GEMINI_HI) as (llm, server):
        await investigate(llm)
    before, last = (json.loads(one.body) for one in server.asked[-2:])
    assert last["tools"] == before["tools"]
    assert last["systemInstruction"] == before["systemInstruction"]
    assert last["toolConfig"]["functionCallingConfig"]["mode"] == "NONE"
    assert last["contents"][: len(before["contents"])] == before["contents"]


@pytest.mark.parametrize(
    ("base_url", "kept"), [(None, True), ("https://eu.api.openai.com/v1", True), ("http://127.0.0.1:11434/v1", False)]
)
def test_a_conclusion_of_openai_keeps_its_tools_and_other_servers_do_not_see_them(
    base_url: str | None, kept: bool
) -> None:
    settings = ModelSettings(model="m", base_url=base_url)
    going_on, last = (
        request_body(settings, request(tools=TOOLS).model_copy(update={"is_last": is_last}))
        for is_last in (False, True)
    )
    assert ("tools" in last, last.get("tool_choice")) == (kept, "none" if kept else None)
    assert "tool_choice" not in going_on
    if kept:
        assert last["tools"] == going_on["tools"]
