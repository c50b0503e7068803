"""All services in one process, each by its own `build`."""

from dataclasses import dataclass
from pathlib import Path

from prometheus_client import CollectorRegistry

from tarsy_ingest.app import build as build_ingest
from tarsy_ingest.settings import IngestSettings
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

OWN_BROKER_SESSION_MS = 3_000
"""A stock broker refuses less than 6,000; ours allows it, and a dead owner is replaced sooner."""
OWN_BROKER_HEARTBEAT_MS = 500


@dataclass(frozen=True, slots=True)
class Places:
    kafka: str
    database: str
    http_port: int
    config_dir: Path

    @property
    def http_url(self) -> str:
        return f"http://127.0.0.1:{self.http_port}"

    def environment(self) -> dict[str, str]:
        """The settings that `tarsy up` knows better than whoever set the environment."""
        return {
            "TARSY_KAFKA": self.kafka,
            "TARSY_DATABASE": self.database,
            "TARSY_TIMELINE_URL": self.http_url,
            "TARSY_HTTP_PORT": str(self.http_port),
            "TARSY_CONFIG_DIR": str(self.config_dir),
            "TARSY_GROUP_SESSION_TIMEOUT_MS": str(OWN_BROKER_SESSION_MS),
            "TARSY_GROUP_HEARTBEAT_MS": str(OWN_BROKER_HEARTBEAT_MS),
        }


def all_services(registry: CollectorRegistry) -> list[Service]:
    """Each with its settings from the environment, as it would have them in a process of its own."""
    return [
        build_timeline(_settings(TimelineSettings), registry),
        build_websocket_gateway(_settings(GatewaySettings), registry),
        build_orchestrator(_settings(OrchestratorSettings), registry),
        build_tool_gateway(_settings(ToolGatewaySettings), registry),
        build_summarizer(_settings(SummarizerSettings), registry),
        build_ingest(_settings(IngestSettings), registry),
    ]


def _settings[S: ServiceSettings](kind: type[S]) -> S:
    return kind()
