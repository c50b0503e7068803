"""Errors of a login, and of renewing one."""

from tarsy_tool_gateway.errors import ToolGatewayError


class ConsentError(ToolGatewayError):
    """There is no login: the operator corrects what the message names."""


class NotRenewedError(ToolGatewayError):
    """The authorization server gave no token this time. We ask again with the next request."""


class RefusedError(ToolGatewayError):
    """The authorization server renews this login no longer. The operator has somebody log in again."""
