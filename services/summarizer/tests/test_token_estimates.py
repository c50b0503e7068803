"""The summarizer learns how a provider counts from its own calls."""

import pytest

from tarsy_contracts.conversation import Conversation, Usage, UserMessage
from tarsy_llm.protocol import Answer
from tarsy_summarizer.token_estimates import TokenEstimates, tokens_of_summary

LOG = "2026-11-23T10:00:00Z INFO request 17 took 12 ms\n" * 1_000


def asked(text: str, *, before: str = "") -> Conversation:
    return Conversation(system="Be brief.", messages=(UserMessage(content=before + text),))


def learned(conversation: Conversation, usage: Usage) -> int:
    """The estimate for a log of 30,000 bytes, after the provider has counted this conversation five times."""
    estimates = TokenEstimates()
    for _ in range(5):
        estimates.learn("gemini", "logs", size=len(LOG), conversation=conversation, usage=usage)
    assert estimates.estimate("claude", "logs", 30_000) == 10_000
    return estimates.estimate("gemini", "logs", 30_000)


def test_an_estimate_follows_what_the_provider_has_counted() -> None:
    assert learned(asked(LOG), Usage(input_tokens=len(LOG) // 2)) == pytest.approx(15_000, abs=500)


def test_a_conversation_that_is_mostly_something_else_teaches_nothing_about_the_result() -> None:
    conversation = asked(LOG, before="What was found so far. " * 2_000)
    assert learned(conversation, Usage(input_tokens=len(LOG))) == 10_000


def test_a_provider_that_does_not_count_teaches_nothing() -> None:
    assert learned(asked(LOG), Usage()) == 10_000


def answer(text: str, **usage: int) -> Answer:
    return Answer(thinking="", text=text, tool_calls=(), usage=Usage.model_validate(usage), model="m")


@pytest.mark.parametrize(
    ("said", "kept", "tokens"),
    [
        (answer("It restarts.", output_tokens=90, thinking_tokens=60), "It restarts.", 30),
        (answer("It restarts.", output_tokens=90), "It restarts.", 90),
        (answer("x" * 1_000, output_tokens=400), "x" * 500, 200),
        (answer("x" * 1_000), "x" * 1_000, 250),
        (answer("x" * 1_000, output_tokens=60, thinking_tokens=60), "x" * 1_000, 250),
    ],
    ids=["thoughts apart", "no thoughts", "cut by us", "not counted", "counted wrongly"],
)
def test_the_size_of_a_summary_is_what_the_provider_counted_without_thoughts(
    said: Answer, kept: str, tokens: int
) -> None:
    assert tokens_of_summary(said, kept) == tokens
