"""A span whose ids others know before it is there: they hang theirs under it meanwhile."""

from collections.abc import Mapping
from contextvars import ContextVar

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.trace import SpanContext, Status, StatusCode, Tracer

_given: ContextVar[SpanContext | None] = ContextVar("given_span_ids", default=None)


def current_ids() -> SpanContext | None:
    """The ids of the span that is being made."""
    return _given.get()


def make_known_span(
    tracer: Tracer,
    name: str,
    ids: Context,
    *,
    parent: Context | None = None,
    began: int,
    ended: int,
    error: str | None,
    attributes: Mapping[str, str | int | float],
) -> None:
    """A span that is over already; a root when it has no `parent`. `began` and `ended` are nanoseconds since 1970.

    `ids` is the context that its children were given as their parent's.
    """
    token = _given.set(trace.get_current_span(ids).get_span_context())
    try:
        span = tracer.start_span(name, context=parent or Context(), start_time=began, attributes=attributes)
    finally:
        _given.reset(token)
    if error is not None:
        span.set_status(Status(StatusCode.ERROR, error))
        span.set_attribute("error.type", error)
    span.end(ended)
