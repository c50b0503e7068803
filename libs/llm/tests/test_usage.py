"""Usage means the same whoever was asked, and a call that failed has cost something, too."""

import pytest
from asking import answer_of, asked, failure_of, request
from claude import start, stop, text, thought
from claude import streamed as claude_streamed
from completions import USAGE, chunk
from completions import streamed as openai_streamed
from gemini import asked as gemini_asked
from gemini import chunk as gemini_chunk
from gemini import request as gemini_request
from gemini import streamed as gemini_streamed
from gemini import text as gemini_text
from gemini import thought as gemini_thought
from pydantic import JsonValue
from wire import Cut, Reply, named_sse

from tarsy_contracts.conversation import Usage
from tarsy_llm.anthropic.adapter import AnthropicLlm
from tarsy_llm.openai.adapter import OpenAiLlm

MEANT = Usage(
    input_tokens=1_300, output_tokens=120, thinking_tokens=90, cached_input_tokens=1_000, cache_written_tokens=200
)
"""One answer, as each provider counts it in its own way."""


async def test_thoughts_that_filled_the_output_of_claude_are_on_the_bill() -> None:
    counted: JsonValue = {"output_tokens": 500, "output_tokens_details": {"thinking_tokens": 500}}
    reply = claude_streamed(start(), *thought(0, "a", "Hm"), *stop("max_tokens", counted))
    async with asked(AnthropicLlm, reply) as (llm, _):
        problem = await failure_of(llm, request())
    assert problem.usage == Usage(input_tokens=25, output_tokens=500, thinking_tokens=500)


async def test_an_answer_of_claude_that_breaks_off_has_cost_what_was_counted_until_then() -> None:
    reply = Reply([*named_sse(start(), *text(0, "It rest")), Cut()])
    async with asked(AnthropicLlm, reply) as (llm, _):
        problem = await failure_of(llm, request())
    assert problem.kind == "cut_off"
    assert problem.usage == Usage(input_tokens=25, output_tokens=1)


async def test_a_refusal_of_openai_is_on_the_bill() -> None:
    reply = openai_streamed(chunk({"refusal": "I will not."}, "stop"), {"choices": [], "usage": USAGE})
    async with asked(OpenAiLlm, reply, path="/v1") as (llm, _):
        problem = await failure_of(llm, request())
    assert problem.kind == "refused"
    assert problem.usage.input_tokens == 1200


async def test_thoughts_that_filled_the_output_of_gemini_are_on_the_bill() -> None:
    counted: JsonValue = {"promptTokenCount": 1200, "thoughtsTokenCount": 500}
    reply = gemini_streamed(
        gemini_chunk(gemini_thought("Hm")), gemini_chunk(finish="MAX_TOKENS", usageMetadata=counted)
    )
    async with gemini_asked(reply) as (llm, _):
        problem = await failure_of(llm, gemini_request())
    assert problem.usage.input_tokens == 1200
    assert problem.usage.thinking_tokens == 500


async def test_claudes_cache_is_part_of_its_input_and_thoughts_of_its_output() -> None:
    counted: JsonValue = {"output_tokens": 120, "output_tokens_details": {"thinking_tokens": 90}}
    begun = start(input_tokens=100, cache_read_input_tokens=1_000, cache_creation_input_tokens=200)
    async with asked(AnthropicLlm, claude_streamed(begun, *text(0, "Hi"), *stop("end_turn", counted))) as (llm, _):
        assert (await answer_of(llm, request())).usage == MEANT


async def test_openais_cache_is_part_of_its_input_and_thoughts_of_its_output() -> None:
    counted: JsonValue = {
        "prompt_tokens": 1_300,
        "completion_tokens": 120,
        "total_tokens": 1_420,
        "prompt_tokens_details": {"cached_tokens": 1_000, "cache_write_tokens": 200},
        "completion_tokens_details": {"reasoning_tokens": 90},
    }
    async with asked(OpenAiLlm, openai_streamed(chunk({"content": "Hi"}, "stop", usage=counted))) as (llm, _):
        assert (await answer_of(llm, request())).usage == MEANT


async def test_thoughts_that_xai_counts_beside_the_completion_are_output() -> None:
    counted: JsonValue = {
        "prompt_tokens": 1_300,
        "completion_tokens": 30,
        "total_tokens": 1_420,
        "prompt_tokens_details": {"cached_tokens": 1_000},
        "completion_tokens_details": {"reasoning_tokens": 90},
    }
    async with asked(OpenAiLlm, openai_streamed(chunk({"content": "Hi"}, "stop", usage=counted))) as (llm, _):
        assert (await answer_of(llm, request())).usage == MEANT.model_copy(update={"cache_written_tokens": None})


async def test_geminis_cache_is_part_of_its_input_and_thoughts_become_part_of_its_output() -> None:
    counted: JsonValue = {
        "promptTokenCount": 1_300,
        "cachedContentTokenCount": 1_000,
        "candidatesTokenCount": 30,
        "thoughtsTokenCount": 90,
        "totalTokenCount": 1_420,
    }
    reply = gemini_streamed(gemini_chunk(gemini_text("Hi"), finish="STOP", usageMetadata=counted))
    async with gemini_asked(reply) as (llm, _):
        usage = (await answer_of(llm, gemini_request())).usage
    assert usage == MEANT.model_copy(update={"cache_written_tokens": None})


@pytest.mark.parametrize("status", [400, 500])
async def test_a_refusal_before_any_answer_costs_nothing(status: int) -> None:
    async with asked(OpenAiLlm, Reply([b'{"error": {"message": "no"}}'], status, "application/json")) as (llm, _):
        assert (await failure_of(llm, request())).usage == Usage()
