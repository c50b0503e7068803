"""Usage means the same whoever was asked, and a call that failed has cost something, too."""

import pytest
from asking import answer_of, asked, failure_of, request
from claude import start, stop, text, thought
from claude import streamed as claude_streamed
from clouds import claude_frames, converse, converse_text
from completions import USAGE, chunk
from completions import streamed as openai_streamed
from dialects import DIALECTS
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


OPENAIS: JsonValue = {
    "prompt_tokens": 1_300,
    "completion_tokens": 120,
    "total_tokens": 1_420,
    "prompt_tokens_details": {"cached_tokens": 1_000, "cache_write_tokens": 200},
    "completion_tokens_details": {"reasoning_tokens": 90},
}
GEMINIS: JsonValue = {
    "promptTokenCount": 1_300,
    "cachedContentTokenCount": 1_000,
    "candidatesTokenCount": 30,
    "thoughtsTokenCount": 90,
    "totalTokenCount": 1_420,
}
OF_CONVERSE: JsonValue = {
    "inputTokens": 100,
    "outputTokens": 120,
    "cacheReadInputTokens": 1_000,
    "cacheWriteInputTokens": 200,
}
CLAUDES = (
    start(input_tokens=100, cache_read_input_tokens=1_000, cache_creation_input_tokens=200),
    *text(0, "Hi"),
    *stop("end_turn", {"output_tokens": 120, "output_tokens_details": {"thinking_tokens": 90}}),
)
FROM_OPENAI = openai_streamed(chunk({"content": "Hi"}, "stop", usage=OPENAIS))
FROM_GEMINI = gemini_streamed(gemini_chunk(gemini_text("Hi"), finish="STOP", usageMetadata=GEMINIS))
NOT_SAID = {
    "Gemini": "cache_written_tokens",
    "Gemini on Vertex AI": "cache_written_tokens",
    "Nova on Bedrock": "thinking_tokens",
}
"""What a provider does not count."""
CLAUDE_MARKS, NOVA_MARKS, BY_ITSELF = (b"cache_control", 3), (b"cachePoint", 2), (b"cache", 0)
"""A mark of what is to be cached, and how often a first request has it: tools, instructions, message."""
ANSWERS: dict[str, tuple[Reply, tuple[bytes, int]]] = {
    "OpenAI": (FROM_OPENAI, BY_ITSELF),
    "xAI": (FROM_OPENAI, BY_ITSELF),
    "Azure OpenAI": (FROM_OPENAI, BY_ITSELF),
    "Anthropic": (claude_streamed(*CLAUDES), CLAUDE_MARKS),
    "Claude on Vertex AI": (claude_streamed(*CLAUDES), CLAUDE_MARKS),
    "Claude on Bedrock": (Reply(claude_frames(*CLAUDES)), CLAUDE_MARKS),
    "Nova on Bedrock": (converse(*converse_text(0, "Hi"), usage=OF_CONVERSE), NOVA_MARKS),
    "Gemini": (FROM_GEMINI, BY_ITSELF),
    "Gemini on Vertex AI": (FROM_GEMINI, BY_ITSELF),
}


def test_every_way_to_be_asked_has_its_row() -> None:
    assert ANSWERS.keys() == DIALECTS.keys()


@pytest.mark.parametrize("name", ANSWERS)
async def test_what_was_cached_is_asked_for_and_counted_as_part_of_the_input(name: str) -> None:
    dialect, (reply, (mark, times)) = DIALECTS[name], ANSWERS[name]
    async with asked(dialect.adapter, reply, model=dialect.model, path=dialect.path) as (llm, server):
        answer = await answer_of(llm, request())
    missing = {NOT_SAID[name]: None} if name in NOT_SAID else {}
    assert answer.usage == MEANT.model_copy(update=missing)
    assert server.asked[0].body.count(mark) == times


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


@pytest.mark.parametrize("status", [400, 500])
async def test_a_refusal_before_any_answer_costs_nothing(status: int) -> None:
    async with asked(OpenAiLlm, Reply([b'{"error": {"message": "no"}}'], status, "application/json")) as (llm, _):
        assert (await failure_of(llm, request())).usage == Usage()
