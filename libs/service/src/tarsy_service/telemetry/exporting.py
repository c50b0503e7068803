"""OpenTelemetry's SDK as we want it."""

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.id_generator import IdGenerator, RandomIdGenerator

from tarsy_service.telemetry.recent_span import current_ids
from tarsy_service.telemetry.trace_sampler import TraceSampler

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
