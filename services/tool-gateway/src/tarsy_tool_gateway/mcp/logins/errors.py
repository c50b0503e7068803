"""Errors of renewing a login."""

from tarsy_tool_gateway.errors import ToolGatewayError


class NotRenewedError(ToolGatewayError):
    """The authorization server gave no token this time. The next request asks again."""


class RefusedError(ToolGatewayError):
    """The authorization server renews this login no longer. Somebody logs in again."""
