"""All services in one process, each by its own `build`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from prometheus_client import CollectorRegistry

from tarsy_bus.client.broker_connections import BrokerConnections
from tarsy_ingest.app import build as build_ingest
from tarsy_ingest.settings import IngestSettings
from tarsy_notifier.app import build as build_notifier
from tarsy_notifier.settings import NotifierSettings
from tarsy_orchestrator.app import build as build_orchestrator
from tarsy_orchestrator.settings import OrchestratorSettings
from tarsy_service.process.alerts_under_way import AlertsUnderWay
from tarsy_service.process.service import Service
from tarsy_service.settings.service_settings import ServiceSettings
from tarsy_summarizer.app import build as build_summarizer
from tarsy_summarizer.settings import SummarizerSettings
from tarsy_timeline.app import build as build_timeline
from tarsy_timeline.settings import TimelineSettings
from tarsy_tool_gateway.app import build as build_tool_gateway
from tarsy_tool_gateway.settings import ToolGatewaySettings
from tarsy_websocket_gateway.app import build as build_websocket_gateway
from tarsy_websocket_gateway.settings import GatewaySettings


@dataclass(frozen=True, slots=True)
class Shared:
    """The services of a process share metrics and attempts to connect to Kafka; alerts go before investigations."""

    registry: CollectorRegistry
    connections: BrokerConnections = field(default_factory=BrokerConnections)
    alerts: AlertsUnderWay = field(default_factory=AlertsUnderWay)


def all_services(registry: CollectorRegistry) -> list[Service]:
    """Each with its settings from the environment, as it would have them in a process of its own."""
    shared = Shared(registry)
    return [build(shared) for build in BUILDERS.values()]


def _build_timeline_service(shared: Shared) -> Service:
    return build_timeline(_read_settings(TimelineSettings), shared.registry, shared.connections)


def _build_websocket_gateway_service(shared: Shared) -> Service:
    return build_websocket_gateway(_read_settings(GatewaySettings), shared.registry, shared.connections)


def _build_orchestrator_service(shared: Shared) -> Service:
    return build_orchestrator(_read_settings(OrchestratorSettings), shared.registry, shared.connections, shared.alerts)


def _build_tool_gateway_service(shared: Shared) -> Service:
    return build_tool_gateway(_read_settings(ToolGatewaySettings), shared.registry, shared.connections)


def _build_summarizer_service(shared: Shared) -> Service:
    return build_summarizer(_read_settings(SummarizerSettings), shared.registry, shared.connections)


def _build_notifier_service(shared: Shared) -> Service:
    return build_notifier(_read_settings(NotifierSettings), shared.registry, shared.connections)


def _build_ingest_service(shared: Shared) -> Service:
    return build_ingest(_read_settings(IngestSettings), shared.registry, shared.connections, shared.alerts)


def _read_settings[S: ServiceSettings](kind: type[S]) -> S:
    return kind()


BUILDERS: Mapping[str, Callable[[Shared], Service]] = {
    "timeline": _build_timeline_service,
    "websocket-gateway": _build_websocket_gateway_service,
    "orchestrator": _build_orchestrator_service,
    "tool-gateway": _build_tool_gateway_service,
    "summarizer": _build_summarizer_service,
    "notifier": _build_notifier_service,
    "ingest": _build_ingest_service,
}
