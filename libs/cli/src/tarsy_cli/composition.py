"""All services in one process, each by its own `build`."""

from dataclasses import dataclass
from pathlib import Path

from prometheus_client import CollectorRegistry
from pydantic import SecretStr

from tarsy_ingest.app import build as build_ingest
from tarsy_ingest.settings import IngestSettings
from tarsy_orchestrator.app import build as build_orchestrator
from tarsy_orchestrator.settings import OrchestratorSettings
from tarsy_service.service import Service
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


def all_services(places: Places, registry: CollectorRegistry) -> list[Service]:
    """Settings that `tarsy up` knows better than the environment are given; the rest comes from `TARSY_*`."""
    shared = {
        "kafka": places.kafka,
        "group_session_timeout_ms": OWN_BROKER_SESSION_MS,
        "group_heartbeat_ms": OWN_BROKER_HEARTBEAT_MS,
        "config_dir": places.config_dir,
        "http_port": places.http_port,
    }
    return [
        build_timeline(TimelineSettings(**shared, database=SecretStr(places.database)), registry),
        build_websocket_gateway(GatewaySettings(**shared, timeline_url=places.http_url), registry),
        build_orchestrator(OrchestratorSettings(**shared), registry),
        build_tool_gateway(ToolGatewaySettings(**shared), registry),
        build_summarizer(SummarizerSettings(**shared), registry),
        build_ingest(IngestSettings(**shared), registry),
    ]
