"""What Anthropic is asked, and how thoughts go back to it."""

import json

import pytest
from asking import GOOGLES, RESULTS, answer_of, asked, failure_of, request, through_the_log, two_calls
from claude import CALLS, HI, streamed
from pydantic import JsonValue
from wire import Reply

from tarsy_contracts.conversation import AssistantMessage, Conversation, ToolCall, ToolMessage, UserMessage
from tarsy_llm.anthropic.adapter import AnthropicLlm

NEW = "claude-opus-5"
CACHED: JsonValue = {"type": "ephemeral"}
SHOWN: JsonValue = {"type": "adaptive", "display": "summarized"}
TOOLS: JsonValue = [
    {
        "name": "kubernetes__pods",
        "description": "Lists pods.",
        "input_schema": {"type": "object", "properties": {"namespace": {"type": "string"}}},
        "cache_control": CACHED,
    }
]
SYSTEM: JsonValue = [{"type": "text", "text": "Be brief.", "cache_control": CACHED}]


async def test_the_whole_request() -> None:
    async with asked(AnthropicLlm, HI, path="/", model=NEW, thinking="low", max_output_tokens=99) as (llm, server):
        await answer_of(llm, request())
    (said,) = server.asked
    assert (said.method, said.target) == ("POST", "/v1/messages")
    assert said.headers["authorization"] == "Bearer sk-planted-8f3a"
    assert said.json == {
        "model": NEW,
        "max_tokens": 99,
        "messages": [
            {
                "role": "user",
                "content": [{"type": "text", "text": "Why does the pod crash?", "cache_control": CACHED}],
            }
        ],
        "stream": True,
        "thinking": SHOWN,
        "output_config": {"effort": "low"},
        "tools": TOOLS,
        "system": SYSTEM,
    }


async def test_the_history_goes_back_with_thoughts_as_they_were_and_ids_of_ours() -> None:
    async with asked(AnthropicLlm, streamed(*CALLS), HI, model=NEW) as (llm, server):
        answer = await answer_of(llm, request())
        await answer_of(llm, request(UserMessage(content="Why?"), through_the_log(two_calls(answer)), *RESULTS))
    assert server.asked[1].json == {
        "model": NEW,
        "max_tokens": 32_000,
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "Why?", "cache_control": CACHED}]},
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "Which pod?", "signature": "c2lnMQ=="},
                    {"type": "text", "text": "I look."},
                    {"type": "redacted_thinking", "data": "aGlkZGVu"},
                    {"type": "tool_use", "id": "call-1", "name": "kubernetes__pods", "input": {"namespace": "shop"}},
                    {"type": "tool_use", "id": "call-2", "name": "kubernetes__pods", "input": {"namespace": "x"}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "call-1", "content": "checkout-1 OOMKilled"},
                    {
                        "type": "tool_result",
                        "tool_use_id": "call-2",
                        "content": "no such namespace",
                        "is_error": True,
                        "cache_control": CACHED,
                    },
                ],
            },
        ],
        "stream": True,
        "thinking": SHOWN,
        "tools": TOOLS,
        "system": SYSTEM,
    }


async def test_no_words_of_the_answer_are_in_what_is_kept_for_the_provider_but_its_thoughts() -> None:
    async with asked(AnthropicLlm, streamed(*CALLS)) as (llm, _):
        answer = await answer_of(llm, request())
    assert answer.opaque == {
        "provider": "anthropic",
        "blocks": [
            {"type": "thinking", "thinking": "Which pod?", "signature": "c2lnMQ=="},
            {"type": "text", "length": 7},
            {"type": "redacted_thinking", "data": "aGlkZGVu"},
            {"type": "tool_use"},
            {"type": "tool_use"},
        ],
    }


async def sent(*messages: UserMessage | AssistantMessage | ToolMessage, model: str = NEW) -> list[JsonValue]:
    """The messages that go to the provider, without their marks for the cache."""
    async with asked(AnthropicLlm, HI, model=model) as (llm, server):
        await answer_of(llm, request(*messages))
    body = json.loads(
        server.asked[0].body, object_hook=lambda found: {k: v for k, v in found.items() if k != "cache_control"}
    )
    turns: list[JsonValue] = body["messages"]
    return turns


async def test_text_between_thoughts_goes_back_in_its_places_unless_masking_has_moved_them() -> None:
    places: JsonValue = [
        {"type": "text", "length": 3},
        {"type": "redacted_thinking", "data": "x"},
        {"type": "text", "length": 4},
    ]
    message = AssistantMessage(content="Onetwo!", opaque={"provider": "anthropic", "blocks": places})
    hidden: JsonValue = {"type": "redacted_thinking", "data": "x"}
    as_it_was = await sent(UserMessage(content="Why?"), message, UserMessage(content="Go on."))
    masked = await sent(
        UserMessage(content="Why?"), message.model_copy(update={"content": "One***"}), UserMessage(content="Go on.")
    )
    assert as_it_was[1] == {
        "role": "assistant",
        "content": [{"type": "text", "text": "One"}, hidden, {"type": "text", "text": "two!"}],
    }
    assert masked[1] == {"role": "assistant", "content": [{"type": "text", "text": "One***"}, hidden]}


@pytest.mark.parametrize(
    "opaque",
    [
        GOOGLES,
        {"provider": "anthropic", "blocks": [{"type": "thinking"}]},
        {"provider": "anthropic", "blocks": []},
        {"provider": "anthropic", "blocks": [{"type": "redacted_thinking", "data": "x"}, *[{"type": "tool_use"}] * 2]},
        "?",
        None,
    ],
    ids=["google's", "broken", "empty", "more calls", "not ours", "none"],
)
async def test_what_is_not_anthropics_own_is_left_out(opaque: JsonValue) -> None:
    called = ToolCall(id="call-1", name="kubernetes__pods", arguments={})
    answer = AssistantMessage(content="I look.", tool_calls=(called,), opaque=opaque)
    turns = await sent(UserMessage(content="Why?"), answer, *RESULTS[:1])
    use: JsonValue = {"type": "tool_use", "id": "call-1", "name": "kubernetes__pods", "input": {}}
    assert turns[1] == {"role": "assistant", "content": [{"type": "text", "text": "I look."}, use]}


async def test_neighbours_become_one_message_and_what_is_empty_is_left_out() -> None:
    turns = await sent(
        UserMessage(content="Why?"),
        AssistantMessage(
            content=" \n", opaque={"provider": "anthropic", "blocks": [{"type": "redacted_thinking", "data": "x"}]}
        ),
        UserMessage(content="Answer, or call a tool."),
        AssistantMessage(content="", tool_calls=(ToolCall(id="call-1", name="kubernetes__pods", arguments={}),)),
        ToolMessage(tool_call_id="call-1", tool_name="kubernetes__pods", content=""),
        UserMessage(content="Go on."),
    )
    assert turns == [
        {
            "role": "user",
            "content": [{"type": "text", "text": "Why?"}, {"type": "text", "text": "Answer, or call a tool."}],
        },
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "call-1", "name": "kubernetes__pods", "input": {}}],
        },
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "call-1"}, {"type": "text", "text": "Go on."}],
        },
    ]


async def test_a_conclusion_forbids_the_tools_that_it_has_to_name_and_leaves_thoughts_out() -> None:
    async with asked(AnthropicLlm, streamed(*CALLS), HI, model=NEW) as (llm, server):
        answer = await answer_of(llm, request())
        history = (UserMessage(content="Why?"), two_calls(answer), *RESULTS, UserMessage(content="Conclude."))
        await answer_of(llm, request(*history, tools=()))
    said = server.asked[1].json
    assert isinstance(said, dict)
    assert said["tools"] == [{"name": "kubernetes__pods", "input_schema": {"type": "object"}}]
    assert said["tool_choice"] == {"type": "none"}
    assert said["thinking"] == SHOWN
    assert b"signature" not in server.asked[1].body
    assert b"redacted_thinking" not in server.asked[1].body


async def test_without_tools_and_calls_none_are_named() -> None:
    async with asked(AnthropicLlm, HI) as (llm, server):
        await answer_of(llm, request(tools=()))
    assert isinstance(server.asked[0].json, dict)
    assert not {"tools", "tool_choice"} & set(server.asked[0].json)


async def test_no_more_than_four_places_are_marked_for_the_cache() -> None:
    turns = [
        said
        for number in range(6)
        for said in (UserMessage(content=f"question {number}"), AssistantMessage(content=f"answer {number}"))
    ]
    async with asked(AnthropicLlm, HI) as (llm, server):
        await answer_of(llm, request(*turns, UserMessage(content="last")))
    assert server.asked[0].body.count(b"cache_control") == 4


@pytest.mark.parametrize(
    ("path", "said"),
    [
        (
            "a",
            "messages.1.content.0: Invalid `signature` in `thinking` block. It is bound to a different conversation.",
        ),
        ("b", "messages.1: `thinking` blocks with this signature cannot be read"),
    ],
)
async def test_refused_thoughts_are_left_out_once(path: str, said: str) -> None:
    body = json.dumps({"type": "error", "error": {"type": "invalid_request_error", "message": said}}).encode()
    refusal = Reply([body], 400, "application/json")
    async with asked(AnthropicLlm, streamed(*CALLS), refusal, HI, refusal, refusal, model=NEW, path=f"/{path}") as (
        llm,
        server,
    ):
        called = two_calls(await answer_of(llm, request()))
        history = request(UserMessage(content="Why?"), called, *RESULTS)
        assert (await answer_of(llm, history)).text == "Hi"
        assert (await failure_of(llm, history)).kind == "invalid_request"
    with_thoughts = [b"redacted_thinking" in asked_for.body for asked_for in server.asked]
    assert with_thoughts == [False, True, False, True, False]


async def test_who_sent_no_thoughts_does_not_ask_again_without() -> None:
    body = b'{"type": "error", "error": {"type": "invalid_request_error", "message": "thinking: no signature"}}'
    async with asked(AnthropicLlm, Reply([body], 400, "application/json"), HI) as (llm, server):
        assert (await failure_of(llm, request())).kind == "invalid_request"
    assert len(server.asked) == 1


async def test_another_refusal_is_final() -> None:
    body = b'{"type": "error", "error": {"type": "invalid_request_error", "message": "thinking: budget too small"}}'
    async with asked(AnthropicLlm, Reply([body], 400, "application/json"), HI) as (llm, server):
        assert (await failure_of(llm, request())).kind == "invalid_request"
    assert len(server.asked) == 1


async def test_an_empty_system_prompt_is_left_out() -> None:
    asking = request().model_copy(
        update={"conversation": Conversation(system="", messages=(UserMessage(content="Why?"),))}
    )
    async with asked(AnthropicLlm, HI) as (llm, server):
        await answer_of(llm, asking)
    assert isinstance(server.asked[0].json, dict)
    assert "system" not in server.asked[0].json
