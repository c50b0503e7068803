"""The trace of a session, in our headers (W3C `traceparent`) and in the process (OpenTelemetry)."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta

from opentelemetry import trace
from opentelemetry.context import Context, attach, detach
from opentelemetry.trace import Link, NoOpTracer, Span, SpanKind, Status, StatusCode, Tracer
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from structlog.contextvars import bind_contextvars, reset_contextvars

from tarsy_contracts.events.recorded import RecordedEvent
from tarsy_contracts.wire.ids import session_traceparent

HEADER = "traceparent"
CANCELLED = "cancelled"
W3C = TraceContextTextMapPropagator()
RECENT = timedelta(seconds=60)

type Attributes = Mapping[str, str | int | float | bool]


def current_traceparent() -> str | None:
    """The `traceparent` of the span that this task is in."""
    span = trace.get_current_span().get_span_context()
    return f"00-{span.trace_id:032x}-{span.span_id:016x}-{span.trace_flags:02x}" if span.is_valid else None


def traceparent_of(session_id: str) -> str:
    """The span that this task is in, if it belongs to the session's trace, or else its root."""
    return session_traceparent(session_id, current_traceparent())


def read_traceparent(headers: Sequence[tuple[str, bytes]]) -> str | None:
    """The `traceparent` of a record. Strangers may have written it: whatever stands there does no harm."""
    found = [value for name, value in headers if name == HEADER]
    return (found[0] or b"").decode(errors="replace") if found else None


def context_of(traceparent: str | None) -> Context:
    """Empty for none, and for one that cannot be read."""
    return W3C.extract({HEADER: traceparent} if traceparent else {}, context=Context())


@contextmanager
def open_span(
    tracer: Tracer,
    name: str,
    *,
    session_id: str,
    cause: str | None = None,
    attributes: Attributes | None = None,
    kind: SpanKind = SpanKind.INTERNAL,
) -> Iterator[Span]:
    """A span of the session's trace around the body; every log line inside has the ids of both.

    `cause` is the `traceparent` that came with what is worked on. One of another trace (a caller's) becomes a link.
    Only the type of an error is noted: nobody has masked its message.
    """
    parent = session_traceparent(session_id, cause)
    span = tracer.start_span(
        name,
        context=context_of(parent),
        kind=kind,
        links=() if cause is None or cause == parent else _link_to_caller(cause),
        attributes={"tarsy.session_id": session_id, **(attributes or {})},
    )
    bound, attached = bind_contextvars(session_id=session_id), attach(trace.set_span_in_context(span))
    try:
        yield span
    except asyncio.CancelledError:
        mark_failed(span, CANCELLED)
        raise
    except Exception as problem:
        mark_failed(span, type(problem).__name__)
        raise
    finally:
        span.end()
        detach(attached)
        reset_contextvars(**bound)


def mark_failed(span: Span, kind: str) -> None:
    """`kind`: one of few, as OpenTelemetry wants an `error.type`."""
    span.set_status(Status(StatusCode.ERROR, kind))
    span.set_attribute("error.type", kind)


def record_span(
    tracer: Tracer,
    name: str,
    *,
    session_id: str,
    cause: str | None,
    began: datetime,
    ended: datetime,
    attributes: Attributes,
) -> None:
    """A span of the session's trace that is over already."""
    if isinstance(tracer, NoOpTracer):
        return  # nobody listens, and no ids go on from here
    span = tracer.start_span(
        name,
        context=context_of(session_traceparent(session_id, cause)),
        start_time=nanoseconds(began),
        attributes={"tarsy.session_id": session_id, **attributes},
    )
    # Two machines' clocks: what came from the other one may lie ahead of ours.
    span.end(nanoseconds(max(began, ended)))


def record_read_span(tracer: Tracer, name: str, record: RecordedEvent, now: datetime) -> None:
    """From the append of an event to the moment at which it was read and handled.

    Nothing for an event that is read long after: then a view is rebuilt, and the trace has had its step.
    """
    if now - record.appended_at > RECENT:
        return
    record_span(
        tracer,
        name,
        session_id=record.session_id,
        cause=record.envelope.traceparent,
        began=record.appended_at,
        ended=now,
        attributes={"tarsy.event.type": record.envelope.type, "tarsy.event.number": record.number},
    )


def nanoseconds(time: datetime) -> int:
    return round(time.timestamp() * 1_000_000) * 1_000


def _link_to_caller(traceparent: str) -> list[Link]:
    caller = trace.get_current_span(context_of(traceparent)).get_span_context()
    return [Link(caller)] if caller.is_valid else []
