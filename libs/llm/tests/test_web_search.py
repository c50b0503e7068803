"""Web search of Anthropic and OpenAI: what is asked for, what is found, where the text cites it, and pauses."""

import pytest
from asking import PODS, answer_of, asked, request
from claude import block, start, stop, streamed, text, thought
from completions import chunk
from completions import streamed as completed
from pydantic import JsonValue

from tarsy_contracts.native_calls import NativeCall, TextCitation, WebSource
from tarsy_llm.anthropic.adapter import AnthropicLlm
from tarsy_llm.openai.adapter import OpenAiLlm
from tarsy_llm.protocol import LlmRequest

PAGE = WebSource(url="https://k8s.example/oom", title="Exit code 137")
FOUND: JsonValue = [
    {"type": "web_search_result", "url": PAGE.url, "title": PAGE.title, "encrypted_content": "ZW5j", "page_age": "May"}
]
QUERY: dict[str, JsonValue] = {"type": "input_json_delta", "partial_json": '{"query": "exit code 137"}'}
CITED: dict[str, JsonValue] = {
    "type": "citations_delta",
    "citation": {
        "type": "web_search_result_location",
        "url": PAGE.url,
        "title": PAGE.title,
        "cited_text": "137 is SIGKILL",
        "encrypted_index": "aW5k",
    },
}
SEARCH = (
    *block(0, "server_tool_use", QUERY, id="srvtoolu_1", name="web_search", input={}),
    *block(1, "web_search_tool_result", tool_use_id="srvtoolu_1", content=FOUND),
)
OOM: dict[str, JsonValue] = {"type": "text_delta", "text": "It was killed"}
ANSWER = (*block(2, "text", OOM, CITED, text=""), *text(3, "."))
CALL = NativeCall(tool="google_search", queries=("exit code 137",), sources=(PAGE,))
COUNTED: JsonValue = {"output_tokens": 15, "server_tool_use": {"web_search_requests": 1}}


def searching(*, tools: bool = False) -> LlmRequest:
    wanted = {"native_tools": ("google_search",), "tools": (PODS,) if tools else ()}
    return request().model_copy(update=wanted)


async def test_claude_searches_beside_our_tools_and_cites_what_it_found() -> None:
    reply = streamed(start(), *SEARCH, *ANSWER, *stop("end_turn", COUNTED))
    async with asked(AnthropicLlm, reply) as (llm, server):
        answer = await answer_of(llm, searching(tools=True))
    body = server.asked[0].json
    assert isinstance(body, dict)
    assert isinstance(body["tools"], list)
    assert body["tools"][0] == {"type": "web_search_20250305", "name": "web_search", "max_uses": 8}
    assert len(body["tools"]) == 2
    assert (answer.text, answer.thinking, answer.tool_calls) == ("It was killed.", "", ())
    assert answer.native_calls == (CALL,)
    assert answer.citations == (TextCitation(at=13, sources=(PAGE.url,)),)
    assert answer.usage.web_searches == 1


async def test_a_search_that_failed_is_told() -> None:
    failed: JsonValue = {"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"}
    result = block(1, "web_search_tool_result", tool_use_id="srvtoolu_1", content=failed)
    reply = streamed(start(), *SEARCH[:3], *result, *text(2, "Nothing."), *stop("end_turn"))
    async with asked(AnthropicLlm, reply) as (llm, _):
        answer = await answer_of(llm, searching())
    assert answer.native_calls == (
        NativeCall(tool="google_search", queries=("exit code 137",), outcome="max_uses_exceeded"),
    )


async def test_a_pause_is_gone_on_with_and_the_answer_is_one() -> None:
    first = streamed(start(), *thought(0, "c2ln", "Look."), *_moved(SEARCH, 1), *stop("pause_turn", COUNTED))
    second = streamed(start(), *block(0, "text", OOM, CITED, text=""), *stop("end_turn", COUNTED))
    async with asked(AnthropicLlm, first, second) as (llm, server):
        answer = await answer_of(llm, searching())
    again = server.asked[1].json
    assert isinstance(again, dict)
    assert isinstance(again["messages"], list)
    assert again["messages"][-1] == {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "Look.", "signature": "c2ln"},
            {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "exit code 137"}},
            {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": FOUND},
        ],
    }
    assert (answer.text, answer.native_calls) == ("It was killed", (CALL,))
    assert (answer.usage.web_searches, answer.usage.output_tokens) == (2, 30)


def _moved(said: tuple[tuple[str, JsonValue], ...], by: int) -> list[tuple[str, JsonValue]]:
    moved: list[tuple[str, JsonValue]] = []
    for kind, body in said:
        assert isinstance(body, dict)
        at = body["index"]
        assert isinstance(at, int)
        moved.append((kind, {**body, "index": at + by}))
    return moved


async def test_a_model_that_only_pauses_is_asked_a_few_times_only() -> None:
    pauses = [streamed(start(), *text(0, "so "), *stop("pause_turn")) for _ in range(9)]
    async with asked(AnthropicLlm, *pauses) as (llm, server):
        answer = await answer_of(llm, searching())
    assert (answer.text, len(server.asked)) == ("so " * 5, 5)


@pytest.mark.parametrize(
    "model", ["gpt-5-search-api", "gpt-4o-search-preview", "gpt-4o-mini-search-preview-2025-03-11"]
)
async def test_a_search_model_of_openai_cites_pages(model: str) -> None:
    annotation: JsonValue = {
        "type": "url_citation",
        "url_citation": {"start_index": 0, "end_index": 13, "title": PAGE.title, "url": PAGE.url},
    }
    reply = completed(chunk({"content": "It was killed."}), chunk({"annotations": [annotation]}), chunk(finish="stop"))
    async with asked(OpenAiLlm, reply, model=model) as (llm, server):
        answer = await answer_of(llm, searching())
    body = server.asked[0].json
    assert isinstance(body, dict)
    assert body["web_search_options"] == {}
    assert answer.native_calls == (NativeCall(tool="google_search", sources=(PAGE,)),)
    assert answer.citations == (TextCitation(at=13, sources=(PAGE.url,)),)
    assert answer.native_left_out == ()
    assert answer.usage.web_searches == 1


@pytest.mark.parametrize(
    "annotations",
    [
        "none",
        [7, {"type": "file_citation"}, {"type": "url_citation"}],
        [{"type": "url_citation", "url_citation": {"url": 7, "end_index": "x"}}],
        [{"type": "url_citation", "url_citation": {"url": PAGE.url, "end_index": 9_000}}],
        [{"type": "url_citation", "url": PAGE.url, "end_index": -4}],
    ],
)
async def test_odd_annotations_cite_nothing(annotations: JsonValue) -> None:
    reply = completed(chunk({"content": "Hi", "annotations": annotations}), chunk(finish="stop"))
    async with asked(OpenAiLlm, reply) as (llm, _):
        answer = await answer_of(llm, request())
    assert (answer.text, answer.citations) == ("Hi", ())


async def test_another_model_of_openai_says_that_it_does_not_search() -> None:
    async with asked(OpenAiLlm, completed(chunk({"content": "Hi"}), chunk(finish="stop")), model="gpt-5.2") as (
        llm,
        server,
    ):
        answer = await answer_of(llm, searching())
    assert answer.native_left_out == ("google_search",)
    assert b"web_search_options" not in server.asked[0].body
