"""Spans of calls of models, named as OpenTelemetry's conventions for generative AI have it.

https://github.com/open-telemetry/semantic-conventions-genai: viewers of such traces know them by these names.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from opentelemetry.trace import Span, SpanKind, Tracer

from tarsy_bus.tracing import Attributes, mark_failed, open_span
from tarsy_contracts.conversation import Usage


@contextmanager
def open_model_span(
    tracer: Tracer,
    *,
    session_id: str,
    provider: str,
    model: str,
    attributes: Attributes,
    cause: str | None = None,
) -> Iterator[Span]:
    """`provider` and `model`: who is asked, in OpenTelemetry's words. `cause`: the `traceparent` of what asks."""
    named: Attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.conversation.id": session_id,
        "gen_ai.provider.name": provider,
        "gen_ai.request.model": model,
        "gen_ai.request.stream": True,
    }
    with open_span(
        tracer,
        f"chat {model}",
        session_id=session_id,
        cause=cause,
        attributes={**named, **attributes},
        kind=SpanKind.CLIENT,
    ) as span:
        yield span


def record_first_chunk(span: Span, seconds: float) -> None:
    """`seconds`: from asking the model to the first piece of its answer."""
    span.set_attribute("gen_ai.response.time_to_first_chunk", seconds)


def record_answer(span: Span, *, model: str, finish_reason: str) -> None:
    span.set_attribute("gen_ai.response.model", model)
    span.set_attribute("gen_ai.response.finish_reasons", (finish_reason,))


def record_failure(span: Span, kind: str) -> None:
    """`kind` is a word of ours: nobody has masked the provider's message for a trace."""
    mark_failed(span, kind)


def record_usage(span: Span, usage: Usage) -> None:
    """A call that failed may have cost something, too."""
    counted = {
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "reasoning.output_tokens": usage.thinking_tokens,
        "cache_read.input_tokens": usage.cached_input_tokens,
        "cache_creation.input_tokens": usage.cache_written_tokens,
    }
    for name, tokens in counted.items():
        if tokens is not None:
            span.set_attribute(f"gen_ai.usage.{name}", tokens)
