"""Spans of one service: sent over OTLP where an address is set. Without a collector, only ids exist."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import structlog
from opentelemetry.trace import NoOpTracer, Tracer

from tarsy_service.settings.service_settings import ServiceSettings

log = structlog.get_logger(__name__)

CLOSE_SECONDS = 3.0


async def _nothing_to_send() -> None:
    return


@dataclass(frozen=True, slots=True)
class Tracing:
    """`tracer` makes the spans of one service; `close` sends what is left of them.

    `read_tracer` makes those of events that are read, which are most: they are made only where somebody asks for them.
    """

    tracer: Tracer
    close: Callable[[], Awaitable[None]] = _nothing_to_send
    read_tracer: Tracer = field(default_factory=NoOpTracer)


def create_tracing(service: str, settings: ServiceSettings) -> Tracing:
    if not settings.otlp_endpoint:
        return Tracing(NoOpTracer())
    # Here, as OpenTelemetry's SDK takes a while to import, and most start without it.
    from tarsy_service.telemetry.exporting import create_exporting_provider

    provider = create_exporting_provider(
        service, settings.client, endpoint=settings.otlp_endpoint, ratio=settings.trace_ratio
    )

    async def close() -> None:
        try:
            async with asyncio.timeout(CLOSE_SECONDS):
                await asyncio.to_thread(provider.shutdown)
        except TimeoutError:
            log.warning("spans.not_sent", seconds=CLOSE_SECONDS)

    tracer = provider.get_tracer("tarsy")
    return Tracing(tracer, close, tracer if settings.trace_reads else NoOpTracer())
