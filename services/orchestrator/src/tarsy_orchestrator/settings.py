"""The orchestrator's settings."""

from pydantic import Field

from tarsy_service.settings.service_settings import ConfigSettings, DeadAfterSettings, MaskingSettings


class OrchestratorSettings(ConfigSettings, DeadAfterSettings, MaskingSettings):
    llm_calls_at_once: int = Field(200, description="how many LLM calls run at once in one orchestrator", ge=1)
    tools_wait_seconds: float = Field(
        20.0, description="how long a new stage waits for MCP servers that the tool gateways cannot reach", ge=0
    )
    tools_starting_seconds: float = Field(
        60.0, description="how long a new stage waits for MCP servers and tool gateways that are starting", ge=0
    )
