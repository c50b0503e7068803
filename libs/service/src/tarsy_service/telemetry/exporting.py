"""OpenTelemetry's SDK as we want it."""

from collections.abc import Sequence

from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.id_generator import IdGenerator, RandomIdGenerator
from opentelemetry.sdk.trace.sampling import Decision, Sampler, SamplingResult
from opentelemetry.trace import Link, SpanKind, TraceState
from opentelemetry.util.types import Attributes

from tarsy_service.telemetry.recent_span import current_ids

EXPORT_SECONDS = 5


def create_exporting_provider(service: str, instance: str, *, endpoint: str, ratio: float) -> TracerProvider:
    """`endpoint` is the collector's base address. Each trace is kept or not by its id: all services agree on it."""
    resource = Resource.create({"service.name": f"tarsy-{service}", "service.instance.id": instance})
    provider = TracerProvider(
        sampler=TraceSampler(ratio), resource=resource, id_generator=_Ids(), shutdown_on_exit=False
    )
    exporter = OTLPSpanExporter(endpoint=f"{endpoint.rstrip('/')}/v1/traces", timeout=EXPORT_SECONDS)
    provider.add_span_processor(BatchSpanProcessor(exporter))
    return provider


class _Ids(IdGenerator):
    """Random, but for a span whose ids were given."""

    def __init__(self) -> None:
        self._random = RandomIdGenerator()

    def generate_trace_id(self) -> int:
        given = current_ids()
        return given.trace_id if given else self._random.generate_trace_id()

    def generate_span_id(self) -> int:
        given = current_ids()
        return given.span_id if given else self._random.generate_span_id()


RANDOM_BITS = 56
"""https://www.w3.org/TR/trace-context-2/#random-trace-id-flag: the lower seven bytes."""


class TraceSampler(Sampler):
    """Keeps the same traces in every process, and with a greater ratio all that a smaller one keeps.

    It decides by the part of a trace's id that is random in every id, as W3C Trace Context has it. The trace of a
    session has the session's id, which is a UUID. The SDK's sampler reads the lower 64 bits, of which a UUID fixes the
    upper two. With it, a ratio up to 0.5 traced nothing, and from 0.75 everything.
    """

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
