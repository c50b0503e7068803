"""What the tool gateway can be told from outside."""

from pydantic import Field

from tarsy_service.settings import ServiceSettings


class ToolGatewaySettings(ServiceSettings):
    mcp_connect_seconds: float = Field(30.0, description="how long an MCP server may take to start and list its tools")
    mcp_ready_seconds: float = Field(
        10.0, description="how long a call waits for an MCP server that is starting, before it is unavailable"
    )
    tool_gateway_drain_seconds: float = Field(
        6.0, description="how long a stop waits for running calls that must not be made twice"
    )
