"""A collector of spans: an HTTP server that speaks OTLP, as OpenTelemetry's own does, and keeps what it is sent."""

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)

from tarsy_http import Quiet, serving


@dataclass(frozen=True)
class Collected:
    """Ids in hex; `parent_id` is empty for a root. `links` are the trace ids that it points to."""

    service: str
    name: str
    trace_id: str
    span_id: str
    parent_id: str
    failed: bool
    nanoseconds: int
    attributes: dict[str, str | int]
    links: tuple[str, ...]


@dataclass
class Collector:
    url: str = ""
    spans: list[Collected] = field(default_factory=list)

    def take(self, body: bytes) -> None:
        request = ExportTraceServiceRequest()
        request.ParseFromString(body)
        for resource in request.resource_spans:
            named = {pair.key: pair.value.string_value for pair in resource.resource.attributes}
            for scope in resource.scope_spans:
                for span in scope.spans:
                    values = {pair.key: pair.value.string_value or pair.value.int_value for pair in span.attributes}
                    self.spans.append(
                        Collected(
                            service=named["service.name"],
                            name=span.name,
                            trace_id=span.trace_id.hex(),
                            span_id=span.span_id.hex(),
                            parent_id=span.parent_span_id.hex(),
                            failed=span.status.code == span.status.STATUS_CODE_ERROR,
                            nanoseconds=span.end_time_unix_nano - span.start_time_unix_nano,
                            attributes=values,
                            links=tuple(link.trace_id.hex() for link in span.links),
                        )
                    )


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
