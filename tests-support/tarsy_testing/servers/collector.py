"""A collector of spans: an HTTP server that speaks OTLP, as OpenTelemetry's own does, and keeps what it is sent."""

import gzip
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.common.v1.common_pb2 import AnyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from tarsy_testing.servers.http_server import Quiet, serving


@dataclass(frozen=True)
class Collected:
    """Ids in hex; `parent_id` is empty for a root. `links` are the trace ids that it points to.

    An attribute with several values has the first of them.
    """

    service: str
    instance: str
    name: str
    trace_id: str
    span_id: str
    parent_id: str
    failed: bool
    nanoseconds: int
    kind: str
    attributes: dict[str, str | int]
    links: tuple[str, ...]


@dataclass
class Collector:
    url: str = ""
    spans: list[Collected] = field(default_factory=list)

    def of(self, session_id: str) -> list[Collected]:
        return [span for span in self.spans if span.attributes.get("tarsy.session_id") == session_id]

    def take(self, body: bytes) -> None:
        request = ExportTraceServiceRequest()
        request.ParseFromString(body)
        for resource in request.resource_spans:
            named = {pair.key: pair.value.string_value for pair in resource.resource.attributes}
            for scope in resource.scope_spans:
                for span in scope.spans:
                    values = {pair.key: _value(pair.value) for pair in span.attributes}
                    self.spans.append(
                        Collected(
                            service=named["service.name"],
                            instance=named["service.instance.id"],
                            name=span.name,
                            trace_id=span.trace_id.hex(),
                            span_id=span.span_id.hex(),
                            parent_id=span.parent_span_id.hex(),
                            failed=span.status.code == span.status.STATUS_CODE_ERROR,
                            nanoseconds=span.end_time_unix_nano - span.start_time_unix_nano,
                            kind=Span.SpanKind.Name(span.kind).removeprefix("SPAN_KIND_"),
                            attributes=values,
                            links=tuple(link.trace_id.hex() for link in span.links),
                        )
                    )


def find_orphans(spans: Sequence[Collected]) -> list[Collected]:
    """Those whose parent is not there, and every root but the first."""
    ids = {span.span_id for span in spans}
    roots = [span for span in spans if not span.parent_id]
    return [*roots[1:], *(span for span in spans if span.parent_id and span.parent_id not in ids)]


def name_ancestors(spans: Sequence[Collected], span: Collected) -> list[str]:
    """Returns the names of the spans that it hangs under, up to the root."""
    by_id = {one.span_id: one for one in spans}
    names: list[str] = []
    while span.parent_id and len(names) < len(spans):
        span = by_id[span.parent_id]
        names.append(span.name)
    return names


def _value(value: AnyValue) -> str | int:
    """A number without its fraction."""
    if value.array_value.values:
        return _value(value.array_value.values[0])
    return value.string_value or value.int_value or value.bool_value or int(value.double_value)


@contextmanager
def collecting() -> Iterator[Collector]:
    collector = Collector()

    class Handler(Quiet):
        def do_POST(self) -> None:
            body = self.body()
            if self.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            collector.take(body)
            answer = ExportTraceServiceResponse().SerializeToString()
            self.send_response(200)
            self.send_header("Content-Type", "application/x-protobuf")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

    with serving(Handler) as collector.url:
        yield collector
