"""Answers without end: each dialect breaks them off at a bound, and works as long as they are."""

import gzip
import json
from collections.abc import Callable

import pytest
from asking import answer_of, asked, failure_of, request
from dialects import DIALECTS, PIECE, anthropic, google, openai
from gemini import chunk, text
from google.genai import types
from wire import Reply, sse

from tarsy_llm.anthropic.accumulator import AnthropicAccumulator
from tarsy_llm.google.adapter import GoogleLlm
from tarsy_llm.google.answer import GatheredAnswer
from tarsy_llm.http.sse import ServerSentEvent
from tarsy_llm.openai.chunks import OpenAiAccumulator
from tarsy_testing.linear_time import assert_linear

TOKENS = 1_000


PARTS = {
    "text": (openai({"content": PIECE}), anthropic(text=PIECE), google({"text": PIECE})),
    "thought": (
        openai({"reasoning_content": PIECE}),
        anthropic(thinking=PIECE),
        google({"text": PIECE, "thought": True}),
    ),
    "arguments": (
        openai({"tool_calls": [{"index": 0, "function": {"name": "a", "arguments": PIECE}}]}),
        anthropic(partial_json=PIECE),
        google({"functionCall": {"name": "a", "args": {"b": PIECE}}}),
    ),
}
"""A piece of OpenAI's, of Anthropic's, of Gemini's."""
COMMENTS = b": still here\n\n" * 1_000
NOISE = [(name, noise) for name, dialect in DIALECTS.items() for noise in dialect.noise]


@pytest.mark.parametrize("part", ["text", "thought", "arguments"])
@pytest.mark.parametrize("name", DIALECTS)
async def test_a_model_that_writes_far_more_than_it_may_is_broken_off(name: str, part: str) -> None:
    dialect = DIALECTS[name]
    reply = Reply([getattr(dialect, part) * 100] * 1_000)
    asking = asked(dialect.adapter, reply, model=dialect.model, path=dialect.path, max_output_tokens=TOKENS)
    async with asking as (llm, server):
        error = await failure_of(llm, request())
    assert (error.kind, error.retryable, len(server.asked)) == ("answer_too_long", False, 1)
    assert "more than 8000 characters" in str(error)


@pytest.mark.parametrize(("name", "noise"), NOISE, ids=[f"{name}: {noise[0]}" for name, noise in NOISE])
async def test_what_is_no_answer_counts_as_bytes_on_the_wire(name: str, noise: tuple[str, bytes, bytes]) -> None:
    dialect, (_, first, unit) = DIALECTS[name], noise
    steps = [first, *[unit * (1 + 10_000 // len(unit))] * 400] if first else [unit * (1 + 10_000 // len(unit))] * 400
    async with asked(dialect.adapter, Reply(steps), model=dialect.model, path=dialect.path) as (llm, _):
        error = await failure_of(llm, request())
    assert (error.kind, "more than 2000000 bytes" in str(error)) == ("answer_too_long", True)


@pytest.mark.parametrize("part", ["text", "thought", "arguments"])
@pytest.mark.parametrize(("accumulator", "whose"), [(OpenAiAccumulator, 0), (AnthropicAccumulator, 1)])
@pytest.mark.timing
def test_an_answer_takes_about_as_much_longer_as_it_is_longer(
    accumulator: Callable[[str, str, None], OpenAiAccumulator | AnthropicAccumulator], whose: int, part: str
) -> None:
    event = ServerSentEvent("", json.dumps(PARTS[part][whose]))

    def take(characters: int) -> None:
        taking = accumulator("a", "m", None)
        for _ in range(characters // len(PIECE)):
            taking.take(event)

    assert_linear(take, small=500_000, tries=3)


@pytest.mark.parametrize("part", ["text", "thought", "arguments"])
@pytest.mark.timing
def test_an_answer_of_gemini_takes_about_as_much_longer_as_it_is_longer(part: str) -> None:
    piece = types.GenerateContentResponse.model_validate(PARTS[part][2])

    def take(characters: int) -> None:
        gathered = GatheredAnswer("m")
        for _ in range(characters // len(PIECE)):
            gathered.take(piece)

    assert_linear(take, small=200_000, tries=3)


async def test_a_comment_of_a_gateway_is_no_part_of_geminis_answer() -> None:
    pieces = [
        b": PROCE",
        b"SSING\r\n\r\n:\n",
        *sse(chunk(text("a: "))),
        b": b\n\n",
        *sse(chunk(text("b"), finish="STOP")),
    ]
    async with asked(GoogleLlm, Reply(pieces)) as (llm, _):
        assert (await answer_of(llm, request())).text == "a: b"


async def test_gemini_sends_nothing_compressed_that_would_be_a_thousand_times_as_long() -> None:
    bomb = Reply([gzip.compress(COMMENTS * 10)], headers={"Content-Encoding": "gzip"})
    async with asked(GoogleLlm, bomb) as (llm, server):
        error = await failure_of(llm, request())
    assert (error.kind, "compressed" in str(error)) == ("provider_error", True)
    assert server.asked[0].headers["accept-encoding"] == "identity"


@pytest.mark.parametrize("name", DIALECTS)
async def test_a_refusal_without_end_is_still_a_refusal(name: str) -> None:
    dialect = DIALECTS[name]
    endless = Reply([b"x" * 65_536] * 10_000, 503, "text/plain")
    async with asked(dialect.adapter, endless, model=dialect.model, path=dialect.path) as (llm, _):
        error = await failure_of(llm, request())
    assert (error.kind, len(str(error)) < 1_000) == ("provider_error", True)
