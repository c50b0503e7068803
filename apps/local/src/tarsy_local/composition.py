"""All services in one process, each by its own `build`."""

from prometheus_client import CollectorRegistry

from tarsy_bus.broker_connections import BrokerConnections
from tarsy_ingest.app import build as build_ingest
from tarsy_ingest.settings import IngestSettings
from tarsy_notifier.app import build as build_notifier
from tarsy_notifier.settings import NotifierSettings
from tarsy_orchestrator.app import build as build_orchestrator
from tarsy_orchestrator.settings import OrchestratorSettings
from tarsy_service.alerts_under_way import AlertsUnderWay
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


def all_services(registry: CollectorRegistry) -> list[Service]:
    """Each with its settings from the environment, as it would have them in a process of its own.

    All share their attempts to connect to Kafka. Alerts that are accepted go before their investigations.
    """
    connections, alerts = BrokerConnections(), AlertsUnderWay()
    return [
        build_timeline(_settings(TimelineSettings), registry, connections),
        build_websocket_gateway(_settings(GatewaySettings), registry, connections),
        build_orchestrator(_settings(OrchestratorSettings), registry, connections, alerts),
        build_tool_gateway(_settings(ToolGatewaySettings), registry, connections),
        build_summarizer(_settings(SummarizerSettings), registry, connections),
        build_notifier(_settings(NotifierSettings), registry, connections),
        build_ingest(_settings(IngestSettings), registry, connections, alerts),
    ]


def _settings[S: ServiceSettings](kind: type[S]) -> S:
    return kind()
