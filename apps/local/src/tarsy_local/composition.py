"""All services in one process, each by its own `build`."""

from collections.abc import Callable, Mapping

from prometheus_client import CollectorRegistry

from tarsy_bus.broker_connections import BrokerConnections
from tarsy_ingest.app import build as build_ingest
from tarsy_ingest.settings import IngestSettings
from tarsy_notifier.app import build as build_notifier
from tarsy_notifier.settings import NotifierSettings
from tarsy_orchestrator.app import build as build_orchestrator
from tarsy_orchestrator.settings import OrchestratorSettings
from tarsy_service.service import Service
from tarsy_service.settings import ServiceSettings
from tarsy_summarizer.app import build as build_summarizer
from tarsy_summarizer.settings import SummarizerSettings
from tarsy_timeline.app import build as build_timeline
from tarsy_timeline.settings import TimelineSettings
from tarsy_tool_gateway.app import build as build_tool_gateway
from tarsy_tool_gateway.settings import ToolGatewaySettings
from tarsy_websocket_gateway.app import build as build_websocket_gateway
from tarsy_websocket_gateway.settings import GatewaySettings

type Builder = Callable[[CollectorRegistry, BrokerConnections], Service]

BUILDERS: Mapping[str, Builder] = {
    "timeline": lambda registry, connections: build_timeline(_settings(TimelineSettings), registry, connections),
    "websocket-gateway": lambda registry, connections: build_websocket_gateway(
        _settings(GatewaySettings), registry, connections
    ),
    "orchestrator": lambda registry, connections: build_orchestrator(
        _settings(OrchestratorSettings), registry, connections
    ),
    "tool-gateway": lambda registry, connections: build_tool_gateway(
        _settings(ToolGatewaySettings), registry, connections
    ),
    "summarizer": lambda registry, connections: build_summarizer(_settings(SummarizerSettings), registry, connections),
    "notifier": lambda registry, connections: build_notifier(_settings(NotifierSettings), registry, connections),
    "ingest": lambda registry, connections: build_ingest(_settings(IngestSettings), registry, connections),
}
"""By a service's name. Its settings come from the environment, as it would have them in a process of its own."""


def all_services(registry: CollectorRegistry) -> list[Service]:
    """All share their attempts to connect to Kafka."""
    connections = BrokerConnections()
    return [build(registry, connections) for build in BUILDERS.values()]


def _settings[S: ServiceSettings](kind: type[S]) -> S:
    return kind()
