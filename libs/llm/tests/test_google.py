"""Gemini's streams as deltas and one answer; what is asked; the end of a call."""

import asyncio
import json
import subprocess
import sys

import pytest
from gemini import KEY, LOGS, MODEL, answer_of, asked, call, chunk, gemini, parts_of, request, streamed, text, thought
from pydantic import JsonValue
from wire import Reply, Silence, sse

from tarsy_contracts.conversation import Usage
from tarsy_llm.model_settings import THINKING_ROOM
from tarsy_llm.protocol import Answer, AskedTool, Delta

USAGE: JsonValue = {
    "promptTokenCount": 1200,
    "cachedContentTokenCount": 1000,
    "candidatesTokenCount": 30,
    "thoughtsTokenCount": 90,
    "totalTokenCount": 1320,
}


async def test_thoughts_and_text_stream_as_they_come_and_add_up_to_the_answer() -> None:
    reply = streamed(
        chunk(thought("Which ")),
        chunk(thought("pod?")),
        chunk(text("The pod ")),
        chunk(text("is out of memory."), finish="STOP", usageMetadata=USAGE),
    )
    async with asked(reply) as (llm, _):
        deltas, answer = await parts_of(llm, request())
    assert [(delta.part, delta.text) for delta in deltas] == [
        ("thinking", "Which "),
        ("thinking", "pod?"),
        ("text", "The pod "),
        ("text", "is out of memory."),
    ]
    assert (answer.thinking, answer.text) == ("Which pod?", "The pod is out of memory.")
    assert answer.usage == Usage(input_tokens=1200, output_tokens=120, thinking_tokens=90, cached_input_tokens=1000)
    assert answer.model == "gemini-3-pro-0417"
    assert answer.opaque is None


async def test_parallel_calls_come_in_order_with_their_arguments() -> None:
    reply = streamed(
        chunk(text("I look.")),
        chunk(call("kubernetes__logs", {"pod": "a", "tail": 5}, "c2ln"), call("kubernetes__logs", {"pod": "b"})),
        chunk(finish="STOP"),
    )
    async with asked(reply) as (llm, _):
        deltas, answer = await parts_of(llm, request())
    assert answer.tool_calls == (
        AskedTool(name="kubernetes__logs", arguments={"pod": "a", "tail": 5}),
        AskedTool(name="kubernetes__logs", arguments={"pod": "b"}),
    )
    assert [delta.text for delta in deltas] == ["I look.", "", ""]


async def test_chunks_without_words_are_signs_of_life() -> None:
    reply = streamed(
        {}, {"usageMetadata": {}}, {"candidates": []}, {"candidates": [{}]}, chunk(text("Hi"), finish="STOP")
    )
    async with asked(reply) as (llm, _):
        deltas, answer = await parts_of(llm, request())
    assert deltas == [*[Delta(part="text", text="")] * 4, Delta(part="text", text="Hi")]
    assert answer.text == "Hi"


async def test_the_last_usage_counts_and_what_was_not_said_is_unknown() -> None:
    reply = streamed(
        chunk(text("a"), usageMetadata={"promptTokenCount": 1, "candidatesTokenCount": 1}),
        chunk(text("b"), finish="STOP", usageMetadata={"promptTokenCount": 7}),
    )
    async with asked(reply, streamed(chunk(text("a"), finish="STOP"))) as (llm, _):
        assert (await answer_of(llm, request())).usage == Usage(input_tokens=7)
        assert (await answer_of(llm, request())).usage == Usage()


async def test_a_chunk_of_a_megabyte_arrives_whole() -> None:
    words = "0123456789abcdef" * 65_536
    async with asked(streamed(chunk(text(words), finish="STOP"))) as (llm, _):
        assert (await answer_of(llm, request())).text == words


async def test_without_a_model_version_the_configured_model_answered() -> None:
    bare: JsonValue = {"candidates": [{"content": {"parts": [{"text": "Hi"}]}, "finishReason": "STOP"}]}
    async with asked(streamed(bare)) as (llm, _):
        assert (await answer_of(llm, request())).model == MODEL


async def test_the_request_names_model_key_system_and_tools() -> None:
    async with asked(streamed(chunk(text("Hi"), finish="STOP"))) as (llm, server):
        await answer_of(llm, request().model_copy(update={"answer_tokens": 99}))
    (said,) = server.asked
    assert said.target == f"/v1beta/models/{MODEL}:streamGenerateContent?alt=sse"
    assert said.headers["x-goog-api-key"] == KEY
    assert isinstance(said.json, dict)
    assert said.json["systemInstruction"] == {"parts": [{"text": "Be brief."}], "role": "user"}
    assert said.json["contents"] == [{"parts": [{"text": "Why does the pod crash?"}], "role": "user"}]
    declared: JsonValue = {
        "name": LOGS.name,
        "description": LOGS.description,
        "parameters_json_schema": LOGS.input_schema,
    }
    assert said.json["tools"] == [{"functionDeclarations": [declared]}]
    assert said.json["toolConfig"] == {"functionCallingConfig": {"mode": "AUTO"}}
    assert said.json["generationConfig"] == {
        "maxOutputTokens": 99 + THINKING_ROOM[None],
        "thinkingConfig": {"include_thoughts": True},
    }


async def test_without_tools_none_are_declared() -> None:
    async with asked(streamed(chunk(text("Hi"), finish="STOP"))) as (llm, server):
        await answer_of(llm, request(tools=()))
    assert isinstance(server.asked[0].json, dict)
    assert not {"tools", "toolConfig"} & set(server.asked[0].json)


async def test_variables_that_mean_vertex_or_another_key_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_GENAI_USE_ENTERPRISE"):
        monkeypatch.setenv(name, "true")
    monkeypatch.setenv("GOOGLE_CLOUD_PROJECT", "other")
    monkeypatch.setenv("GOOGLE_API_KEY", "other")
    monkeypatch.setenv("GOOGLE_GENAI_API_VERSION", "v9")
    async with asked(streamed(chunk(text("Hi"), finish="STOP"))) as (llm, server):
        await answer_of(llm, request())
    assert server.asked[0].target.startswith("/v1beta/models/")
    assert server.asked[0].headers["x-goog-api-key"] == KEY


async def test_closing_in_the_middle_ends_the_request_at_once() -> None:
    reply = Reply([*sse(chunk(text("The pod "))), Silence()])
    async with asked(reply) as (llm, server):
        stream = llm.stream(request())
        assert await anext(stream) == Delta(part="text", text="The pod ")
        await stream.aclose()
        async with asyncio.timeout(90):
            await server.left.wait()


async def test_cancelling_in_the_middle_ends_the_request_at_once() -> None:
    reply = Reply([*sse(chunk(text("The pod "))), Silence()])
    async with asked(reply) as (llm, server):
        begun = asyncio.Event()

        async def ask() -> None:
            async for _ in llm.stream(request()):
                begun.set()

        call = asyncio.create_task(ask())
        async with asyncio.timeout(90):
            await begun.wait()
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            await server.left.wait()


async def test_calls_at_the_same_time_share_one_client_and_do_not_mix() -> None:
    replies = [Reply([*sse(chunk(text("begun"))), Silence()]), streamed(chunk(text("whole"), finish="STOP"))]
    async with asked(*replies) as (llm, server):
        first = llm.stream(request())
        await anext(first)
        assert (await answer_of(llm, request())).text == "whole"
        assert not server.left.is_set()
        await first.aclose()
        async with asyncio.timeout(90):
            await server.left.wait()


async def test_first_calls_at_the_same_time_open_one_connection() -> None:
    replies = [streamed(chunk(text("Hi"), finish="STOP"))] * 3
    async with asked(*replies) as (llm, server):
        answers = await asyncio.gather(*(answer_of(llm, request()) for _ in range(3)))
    assert [answer.text for answer in answers] == ["Hi"] * 3
    assert len(server.asked) == 3


async def test_what_was_never_asked_closes_without_having_opened() -> None:
    llm = gemini(None, key=None)
    await llm.aclose()


def test_who_does_not_ask_gemini_does_not_load_its_sdk() -> None:
    program = """
import json, sys
from tarsy_llm import providers
from tarsy_llm.google.adapter import GoogleLlm
from tarsy_llm.model_settings import ModelSettings
GoogleLlm(ModelSettings(model="gemini-3-pro"))
print(json.dumps(sorted({name.split(".")[0] for name in sys.modules} & {"google", "httpx2"})))
"""
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert json.loads(said.stdout) == []


async def test_the_answer_is_the_last_thing_and_comes_once() -> None:
    async with asked(streamed(chunk(text("a")), chunk(text("b"), finish="STOP"))) as (llm, _):
        parts = [part async for part in llm.stream(request())]
    assert [type(part) for part in parts] == [Delta, Delta, Answer]
