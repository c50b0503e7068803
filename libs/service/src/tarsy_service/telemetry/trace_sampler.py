"""Sampler of traces: it decides by the part of a trace's id that is random in every id, as W3C Trace Context has it.

The trace of a session has the session's id, which is a UUID. The SDK's sampler reads the lower 64 bits, of which a UUID
fixes the upper two. With it, a ratio up to 0.5 traced nothing, and from 0.75 everything.
"""

from collections.abc import Sequence

from opentelemetry.context import Context
from opentelemetry.sdk.trace.sampling import Decision, Sampler, SamplingResult
from opentelemetry.trace import Link, SpanKind, TraceState
from opentelemetry.util.types import Attributes

RANDOM_BITS = 56
"""https://www.w3.org/TR/trace-context-2/#random-trace-id-flag: the lower seven bytes."""


class TraceSampler(Sampler):
    """Keeps the same traces in every process, and with a greater ratio all that a smaller one keeps."""

    def __init__(self, ratio: float) -> None:
        self._ratio = ratio
        self._least = round((1 - ratio) * 2**RANDOM_BITS)

    def should_sample(
        self,
        parent_context: Context | None,
        trace_id: int,
        name: str,
        kind: SpanKind | None = None,
        attributes: Attributes = None,
        links: Sequence[Link] | None = None,
        trace_state: TraceState | None = None,
    ) -> SamplingResult:
        kept = trace_id % 2**RANDOM_BITS >= self._least
        return SamplingResult(Decision.RECORD_AND_SAMPLE if kept else Decision.DROP, attributes, trace_state)

    def get_description(self) -> str:
        return f"TraceSampler{{{self._ratio}}}"
