"""Usage of a chat completion, as OpenAI and its like report it."""

from tarsy_contracts.conversation import Usage
from tarsy_llm.http.lenient_model import LenientModel


class OpenAiInputDetails(LenientModel):
    """Parts of the prompt tokens: developers.openai.com/api/docs/guides/prompt-caching."""

    cached_tokens: int | None = None
    cache_write_tokens: int | None = None


class OpenAiOutputDetails(LenientModel):
    reasoning_tokens: int | None = None


class OpenAiUsage(LenientModel):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    total_tokens: int | None = None
    prompt_tokens_details: OpenAiInputDetails | None = None
    completion_tokens_details: OpenAiOutputDetails | None = None


def usage_of(counted: OpenAiUsage) -> Usage:
    read = counted.prompt_tokens_details or OpenAiInputDetails()
    written = counted.completion_tokens_details or OpenAiOutputDetails()
    return Usage(
        input_tokens=counted.prompt_tokens,
        output_tokens=_output(counted, written.reasoning_tokens or 0),
        thinking_tokens=written.reasoning_tokens,
        cached_input_tokens=read.cached_tokens,
        cache_written_tokens=read.cache_write_tokens,
    )


def _output(counted: OpenAiUsage, thoughts: int) -> int | None:
    """OpenAI counts thoughts into the completion, xAI beside it (docs.x.ai, rate limits): the total tells which."""
    spoken, total = counted.completion_tokens, counted.total_tokens
    if spoken is None or total is None:
        return spoken
    are_beside = total >= (counted.prompt_tokens or 0) + spoken + thoughts
    return spoken + thoughts if are_beside else spoken
