"""The root span of a trace whose ids others know already: they hang their spans under it before it is there."""

from collections.abc import Mapping
from contextvars import ContextVar

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.trace import SpanContext, Status, StatusCode, Tracer

_given: ContextVar[SpanContext | None] = ContextVar("given_span_ids", default=None)


def given_ids() -> SpanContext | None:
    """The ids of the root span that is being made."""
    return _given.get()


def make_root_span(
    tracer: Tracer,
    name: str,
    ids: Context,
    *,
    began: int,
    ended: int,
    error: str | None,
    attributes: Mapping[str, str | int],
) -> None:
    """A span that is over already. `began` and `ended` are nanoseconds since 1970.

    `ids` is the context that its children were given as their parent's.
    """
    token = _given.set(trace.get_current_span(ids).get_span_context())
    try:
        span = tracer.start_span(name, context=Context(), start_time=began, attributes=attributes)
    finally:
        _given.reset(token)
    if error is not None:
        span.set_status(Status(StatusCode.ERROR, error))
    span.end(ended)
