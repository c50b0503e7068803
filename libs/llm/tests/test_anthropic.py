"""Anthropic's messages as deltas and one answer."""

import asyncio
import json

import pytest
from asking import answer_of, asked, failure_of, parts_of, request, words
from claude import HI, Said, block, call, event, start, stop, streamed, text, thought
from wire import Reply, Silence

from tarsy_contracts.conversation import Usage
from tarsy_llm.anthropic.adapter import AnthropicLlm
from tarsy_llm.protocol import AskedTool, ErrorKind


async def test_text_streams_as_it_comes_and_adds_up_to_the_answer() -> None:
    reply = streamed(start(), event("ping"), *text(0, "The pod ", "is out of memory."), *stop("end_turn"))
    async with asked(AnthropicLlm, reply) as (llm, _):
        deltas, answer = await parts_of(llm, request())
    assert [delta.text for delta in deltas] == ["", "", "", "The pod ", "is out of memory.", "", "", ""]
    assert {delta.part for delta in deltas} == {"text"}
    assert (answer.text, answer.thinking, answer.tool_calls, answer.opaque) == (
        "The pod is out of memory.",
        "",
        (),
        None,
    )
    assert answer.usage == Usage(input_tokens=25, output_tokens=15)
    assert answer.model == "claude-opus-5-20260801"


async def test_thoughts_stream_as_thinking_with_a_gap_between_two() -> None:
    reply = streamed(
        start(), *thought(0, "a", "One.", " Two."), *thought(1, "b", "Three."), *text(2, "Hi"), *stop("end_turn")
    )
    async with asked(AnthropicLlm, reply) as (llm, _):
        deltas, answer = await parts_of(llm, request())
    assert words(deltas, "thinking") == answer.thinking == "One. Two.\n\nThree."
    assert words(deltas, "text") == answer.text == "Hi"


async def test_parallel_calls_whose_pieces_are_mixed_are_put_together_by_index() -> None:
    first, second = call(0, "kubernetes__pods", '{"namesp', 'ace": "shop"}'), call(1, "kubernetes__logs")
    reply = streamed(
        start(),
        *(said for pair in zip(first, [*second, event("ping")], strict=False) for said in pair),
        first[3],
        *stop("tool_use"),
    )
    async with asked(AnthropicLlm, reply) as (llm, _):
        answer = await answer_of(llm, request())
    assert answer.tool_calls == (
        AskedTool(name="kubernetes__pods", arguments={"namespace": "shop"}),
        AskedTool(name="kubernetes__logs", arguments={}),
    )


async def test_arguments_that_come_whole_are_taken() -> None:
    whole = block(0, "tool_use", id="1", name="a", input={"x": 1})
    async with asked(AnthropicLlm, streamed(start(), *whole, *stop("tool_use"))) as (llm, _):
        assert (await answer_of(llm, request())).tool_calls == (AskedTool(name="a", arguments={"x": 1}),)


@pytest.mark.parametrize(
    ("reply", "usage"),
    [
        (
            streamed(
                start(cache_creation_input_tokens=300, cache_read_input_tokens=1000),
                *text(0, "Hi"),
                *stop("end_turn", {"output_tokens": 120, "output_tokens_details": {"thinking_tokens": 90}}),
            ),
            Usage(
                input_tokens=1325,
                output_tokens=120,
                thinking_tokens=90,
                cached_input_tokens=1000,
                cache_written_tokens=300,
            ),
        ),
        (
            streamed(
                start(cache_read_input_tokens=1),
                *text(0, "Hi"),
                *stop("end_turn", {"input_tokens": 30, "cache_read_input_tokens": 12}),
            ),
            Usage(input_tokens=42, output_tokens=1, cached_input_tokens=12),
        ),
        (streamed(*text(0, "Hi"), *stop("end_turn", {"output_tokens": None})), Usage()),
    ],
    ids=["with the cache", "told again at the end", "not told"],
)
async def test_input_is_all_input_and_what_is_not_told_is_unknown(reply: Reply, usage: Usage) -> None:
    async with asked(AnthropicLlm, reply) as (llm, _):
        assert (await answer_of(llm, request())).usage == usage


async def test_a_server_that_does_not_name_its_events_is_understood() -> None:
    steps = [step.partition(b"\n")[2] for step in HI.steps if isinstance(step, bytes)]
    async with asked(AnthropicLlm, Reply(steps)) as (llm, _):
        assert (await answer_of(llm, request())).text == "Hi"


async def test_an_answer_is_complete_when_it_says_so_though_the_line_stays_open() -> None:
    async with asked(AnthropicLlm, Reply([*HI.steps, Silence()])) as (llm, server), asyncio.timeout(90):
        assert (await answer_of(llm, request())).text == "Hi"
        await server.left.wait()


@pytest.mark.parametrize(
    ("said", "kind", "words_of_it"),
    [
        ([*text(0, "I "), *stop("refusal", stop_details={"type": "refusal", "category": "cyber"})], "refused", "cyber"),
        (
            stop("refusal", stop_details={"type": "refusal", "category": None, "explanation": "Not this."}),
            "refused",
            "does not answer this: Not this.",
        ),
        (stop("refusal", stop_details=None), "refused", "does not answer this"),
        ([*text(0, "I "), *stop("model_context_window_exceeded")], "context_full", "context window"),
        ([*thought(0, "a", "Hm"), *stop("max_tokens")], "truncated", "max_output_tokens"),
        ([*call(0, "a", '{"x'), *stop("max_tokens")], "truncated", "max_output_tokens"),
        ([*text(0, "I "), *call(1, "a", "{}"), *stop("max_tokens")], "truncated", "max_output_tokens"),
        ([*text(0, "I ")], "cut_off", "before its end"),
    ],
)
async def test_an_end_that_is_no_answer_is_a_failure(said: list[Said], kind: ErrorKind, words_of_it: str) -> None:
    async with asked(AnthropicLlm, streamed(start(), *said)) as (llm, _):
        error = await failure_of(llm, request())
    assert error.kind == kind
    assert words_of_it in str(error)


@pytest.mark.parametrize(
    "reason", ["end_turn", "stop_sequence", "tool_use", "pause_turn", "max_tokens", "something_new"]
)
async def test_any_other_end_is_an_answer(reason: str) -> None:
    async with asked(AnthropicLlm, streamed(start(), *text(0, "Hi"), *stop(reason))) as (llm, _):
        answer = await answer_of(llm, request())
    assert (answer.text, answer.cut) == ("Hi", reason == "max_tokens")


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ("overloaded_error", "cut_off"),
        ("api_error", "cut_off"),
        ("timeout_error", "cut_off"),
        ("rate_limit_error", "rate_limited"),
        ("invalid_request_error", "invalid_request"),
        ("request_too_large", "invalid_request"),
        ("authentication_error", "credentials"),
        ("permission_error", "credentials"),
        ("billing_error", "credentials"),
    ],
)
async def test_an_error_in_the_stream_is_told_as_what_it_is(error: str, kind: ErrorKind) -> None:
    told = event("error", error={"type": error, "message": "Overloaded"}, request_id="req_1")
    async with asked(AnthropicLlm, streamed(start(), *text(0, "I "), told)) as (llm, _):
        failure = await failure_of(llm, request())
    assert failure.kind == kind
    assert str(failure) == "the model server 127.0.0.1 sent an error in its answer: Overloaded"


async def test_an_error_before_the_first_words_is_no_cut_answer() -> None:
    told = event("error", error={"type": "overloaded_error", "message": "Overloaded"})
    async with asked(AnthropicLlm, streamed(start(), told)) as (llm, _):
        assert (await failure_of(llm, request())).kind == "provider_error"


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("Your credit balance is too low to access the API.", "credentials"),
        ("prompt is too long: 210000 tokens > 200000 maximum", "context_full"),
    ],
)
async def test_an_empty_purse_is_no_bad_request(said: str, kind: ErrorKind) -> None:
    body = json.dumps({"type": "error", "error": {"type": "invalid_request_error", "message": said}})
    async with asked(AnthropicLlm, Reply([body.encode()], 400, "application/json")) as (llm, _):
        assert (await failure_of(llm, request())).kind == kind


async def test_blocks_and_events_of_another_time_are_passed_over() -> None:
    new = block(
        0, "server_tool_use", {"type": "citations_delta", "citation": {}}, id="srv_1", name="web_search", input={}
    )
    reply = streamed(start(), *new, event("weather", sun=True), *text(1, "Hi"), *stop("end_turn"))
    async with asked(AnthropicLlm, reply) as (llm, _):
        answer = await answer_of(llm, request())
    assert (answer.text, answer.tool_calls) == ("Hi", ())
