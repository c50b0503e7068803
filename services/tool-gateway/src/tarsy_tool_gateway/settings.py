"""Settings of the tool gateway."""

from pydantic import Field

from tarsy_service.settings import ConfigSettings, DeadAfterSettings, MaskingSettings


class ToolGatewaySettings(ConfigSettings, DeadAfterSettings, MaskingSettings):
    mcp_connect_seconds: float = Field(30.0, description="how long an MCP server may take to start and list its tools")
    mcp_ready_seconds: float = Field(
        10.0, description="how long a call waits for an MCP server that was tried, before it is unavailable"
    )
    mcp_sessions: int = Field(
        20,
        description="how many sessions are open at a time with one MCP server that has one for each investigation",
        ge=1,
    )
    mcp_session_idle_seconds: float = Field(
        600.0, description="after how long without a call such a session is closed", gt=0
    )
    tool_gateway_drain_seconds: float = Field(
        6.0, description="how long a stop waits for running calls that must not be made twice"
    )
