"""Thoughts have a room of their own: an answer of few tokens comes whole from models that think long before it."""

from collections.abc import Callable

import claude
import completions
import gemini
import pytest
from asking import answer_of, asked, request
from pydantic import JsonValue
from wire import Asked, Reply

from tarsy_llm.anthropic.adapter import AnthropicLlm
from tarsy_llm.google.adapter import GoogleLlm
from tarsy_llm.model_settings import THINKING_ROOM, ModelSettings, Thinking
from tarsy_llm.openai.adapter import OpenAiLlm
from tarsy_llm.protocol import Llm

THOUGHTS, ANSWER = 3_000, 800
"""Tokens, one for each word. The providers count both into the limit of output."""
TOLD = "word " * ANSWER

type Adapter = Callable[[ModelSettings], Llm]


def told_within(limit: JsonValue) -> str:
    assert isinstance(limit, int)
    return "word " * max(0, min(ANSWER, limit - THOUGHTS))


def as_gemini(asked: Asked) -> Reply:
    assert isinstance(asked.json, dict)
    config = asked.json["generationConfig"]
    assert isinstance(config, dict)
    told = told_within(config["maxOutputTokens"])
    end = "STOP" if told == TOLD else "MAX_TOKENS"
    counted: JsonValue = {"thoughtsTokenCount": THOUGHTS, "candidatesTokenCount": len(told.split())}
    return gemini.streamed(
        gemini.chunk(gemini.thought("Hm.")), gemini.chunk(gemini.text(told), finish=end, usageMetadata=counted)
    )


def as_claude(asked: Asked) -> Reply:
    assert isinstance(asked.json, dict)
    told = told_within(asked.json["max_tokens"])
    end = "end_turn" if told == TOLD else "max_tokens"
    parts = [claude.start(), *claude.thought(0, "c2ln", "Hm."), *(claude.text(1, told) if told else [])]
    return claude.streamed(*parts, *claude.stop(end, {"output_tokens": THOUGHTS + len(told.split())}))


def as_gpt(asked: Asked) -> Reply:
    assert isinstance(asked.json, dict)
    told = told_within(asked.json["max_tokens"])
    end = "stop" if told == TOLD else "length"
    return completions.streamed(completions.chunk({"content": told}), completions.chunk(finish=end))


@pytest.mark.parametrize("thinking", [None, "off", "low", "high"])
@pytest.mark.parametrize(
    ("adapter", "model", "reply"),
    [
        (GoogleLlm, "gemini-3-pro-preview", as_gemini),
        (AnthropicLlm, "claude-opus-5", as_claude),
        (OpenAiLlm, "gpt-5.2", as_gpt),
    ],
)
async def test_an_answer_of_few_tokens_comes_whole(
    adapter: Adapter, model: str, reply: Callable[[Asked], Reply], thinking: Thinking | None
) -> None:
    async with asked(adapter, reply, model=model, thinking=thinking) as (llm, _):
        answer = await answer_of(llm, request().model_copy(update={"answer_tokens": ANSWER}))
    assert answer.text.split() == TOLD.split()
    assert not answer.cut


@pytest.mark.parametrize(
    ("configured", "answer_tokens", "limit"),
    [
        (None, None, None),
        (9_000, None, 9_000),
        (None, 500, 500 + THINKING_ROOM["low"]),
        (2_000, 500, 2_000),
        (64_000, 500, 500 + THINKING_ROOM["low"]),
    ],
)
def test_a_configured_limit_is_never_exceeded(
    configured: int | None, answer_tokens: int | None, limit: int | None
) -> None:
    settings = ModelSettings(model="m", thinking="low", max_output_tokens=configured)
    assert settings.output_limit(answer_tokens) == limit
