"""Settings classes of the services, by service."""

from tarsy_ingest.settings import IngestSettings
from tarsy_notifier.settings import NotifierSettings
from tarsy_orchestrator.settings import OrchestratorSettings
from tarsy_service.settings.service_settings import ServiceSettings
from tarsy_summarizer.settings import SummarizerSettings
from tarsy_timeline.settings import TimelineSettings
from tarsy_tool_gateway.settings import ToolGatewaySettings
from tarsy_websocket_gateway.settings import GatewaySettings

SETTINGS: dict[str, type[ServiceSettings]] = {
    "ingest": IngestSettings,
    "orchestrator": OrchestratorSettings,
    "tool-gateway": ToolGatewaySettings,
    "summarizer": SummarizerSettings,
    "timeline": TimelineSettings,
    "websocket-gateway": GatewaySettings,
    "notifier": NotifierSettings,
}
