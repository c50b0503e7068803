"""What OpenAI and servers like it are asked, and how a history goes back to them."""

import json

import pytest
from asking import GOOGLES, RESULTS, answer_of, asked, failure_of, parts_of, request, through_the_log, two_calls, words
from completions import HI, call, chunk, streamed
from pydantic import JsonValue
from wire import Reply

from tarsy_contracts.conversation import AssistantMessage, ToolCall, UserMessage
from tarsy_llm.model_settings import ModelSettings, Thinking
from tarsy_llm.openai.adapter import OpenAiLlm
from tarsy_llm.openai.messages import wire_id
from tarsy_llm.openai.wire import request_body

TOOL: JsonValue = {
    "type": "function",
    "function": {
        "name": "kubernetes__pods",
        "description": "Lists pods.",
        "parameters": {"type": "object", "properties": {"namespace": {"type": "string"}}},
    },
}
CALLED = AssistantMessage(
    content="", tool_calls=(ToolCall(id="call-1", name="kubernetes__pods", arguments={"namespace": "café"}),)
)


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
async def test_reasoning_streams_as_thinking_and_goes_back_with_the_calls_in_its_field(field: str) -> None:
    reply = streamed(
        chunk({field: "Which "}),
        chunk({field: "namespace?", "content": None}),
        chunk({"content": "I look."}),
        chunk(call(0, "{}", "kubernetes__pods", "1")),
        chunk(finish="tool_calls"),
    )
    async with asked(OpenAiLlm, reply, HI) as (llm, server):
        deltas, answer = await parts_of(llm, request())
        history = (UserMessage(content="Why?"), CALLED, through_the_log(two_calls(answer)), *RESULTS[:1])
        await answer_of(llm, request(*history))
    assert words(deltas, "thinking") == answer.thinking == "Which namespace?"
    assert words(deltas, "text") == answer.text == "I look."
    _, _, before, again, _ = json.loads(server.asked[1].body)["messages"]
    assert again[field] == "Which namespace?"
    assert before[field] == ""


async def test_what_was_thought_before_a_mere_answer_is_not_sent_back() -> None:
    async with asked(OpenAiLlm, streamed(chunk({"reasoning": "Hm."}), chunk({"content": "A"}, "stop"))) as (llm, _):
        assert (await answer_of(llm, request())).opaque is None


async def test_the_whole_request() -> None:
    async with asked(OpenAiLlm, HI, path="/v1", thinking="low", max_output_tokens=99) as (llm, server):
        await answer_of(llm, request())
    (said,) = server.asked
    assert (said.method, said.target) == ("POST", "/v1/chat/completions")
    assert said.headers["authorization"] == "Bearer sk-planted-8f3a"
    assert said.json == {
        "model": "a-model",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Why does the pod crash?"},
        ],
        "stream": True,
        "stream_options": {"include_usage": True},
        "tools": [TOOL],
        "max_tokens": 99,
        "reasoning_effort": "low",
    }


async def test_the_history_goes_with_our_ids_and_marks_what_failed() -> None:
    reply = streamed(
        chunk({"content": "I look."}),
        chunk(call(0, '{"namespace": "shop"}', "kubernetes__pods", "call_a")),
        chunk(call(1, '{"namespace": "x"}', "kubernetes__pods", "call_b")),
        chunk(finish="tool_calls"),
    )
    async with asked(OpenAiLlm, reply, HI) as (llm, server):
        answer = await answer_of(llm, request())
        history = (UserMessage(content="Why?"), two_calls(answer), *RESULTS, UserMessage(content="Conclude."))
        await answer_of(llm, request(*history, tools=()))
    assert server.asked[1].json == {
        "model": "a-model",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Why?"},
            {
                "role": "assistant",
                "content": "I look.",
                "tool_calls": [
                    {
                        "id": wire_id("call-1"),
                        "type": "function",
                        "function": {"name": "kubernetes__pods", "arguments": '{"namespace": "shop"}'},
                    },
                    {
                        "id": wire_id("call-2"),
                        "type": "function",
                        "function": {"name": "kubernetes__pods", "arguments": '{"namespace": "x"}'},
                    },
                ],
            },
            {"role": "tool", "tool_call_id": wire_id("call-1"), "content": "checkout-1 OOMKilled"},
            {"role": "tool", "tool_call_id": wire_id("call-2"), "content": "The tool call failed.\nno such namespace"},
            {"role": "user", "content": "Conclude."},
        ],
        "stream": True,
        "stream_options": {"include_usage": True},
    }


async def test_what_another_provider_wants_back_is_not_sent() -> None:
    foreign = CALLED.model_copy(update={"opaque": GOOGLES | {"reasoning": "secret"}})
    async with asked(OpenAiLlm, HI) as (llm, server):
        await answer_of(llm, request(UserMessage(content="Why?"), foreign, *RESULTS[:1]))
    assert set(json.loads(server.asked[0].body)["messages"][2]) == {"role", "content", "tool_calls"}
    assert b"secret" not in server.asked[0].body


@pytest.mark.parametrize(
    ("thinking", "effort"), [("off", "none"), ("medium", "medium"), ("high", "high"), (None, None)]
)
def test_thinking_is_told_as_an_effort(thinking: Thinking | None, effort: str | None) -> None:
    assert request_body(ModelSettings(model="m", thinking=thinking), request()).get("reasoning_effort") == effort


@pytest.mark.parametrize(
    ("base_url", "key"),
    [
        (None, "max_completion_tokens"),
        ("https://eu.api.openai.com/v1", "max_completion_tokens"),
        ("http://localhost:11434/v1", "max_tokens"),
        ("https://api.openai.com.example.org/v1", "max_tokens"),
    ],
)
def test_the_limit_has_the_name_that_the_server_knows(base_url: str | None, key: str) -> None:
    body = request_body(ModelSettings(model="m", base_url=base_url, max_output_tokens=99), request())
    assert {name: value for name, value in body.items() if name.startswith("max")} == {key: 99}
    asking = request().model_copy(update={"answer_tokens": 7})
    assert request_body(ModelSettings(model="m", base_url=base_url, max_output_tokens=99), asking)[key] == 99


@pytest.mark.parametrize("path", ["/v1", "/v1/", "/api/openai/v3"])
async def test_the_address_is_taken_as_it_is(path: str) -> None:
    async with asked(OpenAiLlm, HI, path=path) as (llm, server):
        await answer_of(llm, request())
    assert server.asked[0].target == f"{path.rstrip('/')}/chat/completions"


async def test_a_server_of_ones_own_needs_no_key() -> None:
    async with asked(OpenAiLlm, HI, api_key=None) as (llm, server):
        assert (await answer_of(llm, request())).text == "Hi"
    assert server.asked[0].headers["authorization"] == "Bearer no-key"


async def test_a_server_that_refuses_stream_options_is_asked_without_from_then_on() -> None:
    refusal = Reply([b'{"detail": "stream_options: extra fields not permitted"}'], 422, "application/json")
    async with asked(OpenAiLlm, refusal, HI, refusal, refusal) as (llm, server):
        answer = await answer_of(llm, request())
        assert "answered 422: stream_options" in str(await failure_of(llm, request()))
    assert answer.text == "Hi"
    first, second, *others = [said.json for said in server.asked]
    assert len(others) == 1
    assert isinstance(first, dict)
    assert second == {key: value for key, value in first.items() if key != "stream_options"}
