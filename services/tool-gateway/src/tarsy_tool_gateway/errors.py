"""The base of all exceptions of tarsy_tool_gateway."""


class ToolGatewayError(Exception):
    """A tool, or its server, cannot do what was asked."""
