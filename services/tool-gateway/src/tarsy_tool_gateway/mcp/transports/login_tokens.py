"""Tokens of a login, which all sessions and all gateways share."""

import asyncio
from datetime import datetime
from typing import Protocol

import httpx2
from mcp.client.auth.utils import extract_scope_from_www_auth

from tarsy_tool_gateway.mcp.diagnosis import LoginNeededError, MisconfiguredError, make_login_error
from tarsy_tool_gateway.mcp.logins.login import McpLogin
from tarsy_tool_gateway.mcp.server_plan import LoginClient, StdioTransport, TransportPlan, WebAddress
from tarsy_tool_gateway.mcp.transports.token_requests import TOKEN_SECONDS


class Logins(Protocol):
    """Both raise LoginNeededError and MisconfiguredError."""

    def find_login(self, address: WebAddress, client: LoginClient) -> McpLogin:
        """The login that counts now."""
        ...

    async def fresh(self, address: WebAddress, client: LoginClient, refused: str | None) -> McpLogin:
        """A login with another token than the refused one (its header). The caller limits the time."""
        ...


class NoLogins:
    """For processes that keep no logins."""

    def find_login(self, address: WebAddress, client: LoginClient) -> McpLogin:
        raise make_login_error(client.server, "nobody has logged in")

    async def fresh(self, address: WebAddress, client: LoginClient, refused: str | None) -> McpLogin:
        return self.find_login(address, client)


NO_LOGINS = NoLogins()


def login_end(logins: Logins, transport: TransportPlan) -> datetime | None:
    """When a person has to log in again. None where nobody needs to, or nobody knows."""
    if isinstance(transport, StdioTransport) or not isinstance(transport.oauth, LoginClient):
        return None
    try:
        return logins.find_login(transport, transport.oauth).ends_at
    except (LoginNeededError, MisconfiguredError):
        return None


class LoginTokens:
    def __init__(self, logins: Logins, address: WebAddress, client: LoginClient) -> None:
        self._logins = logins
        self._address = address
        self._client = client

    def find_authorization(self) -> str | None:
        try:
            return self._logins.find_login(self._address, self._client).authorization
        except (LoginNeededError, MisconfiguredError):
            return None

    async def renew(self, used: str | None, request: httpx2.Request, refused: httpx2.Response) -> str:
        if refused.status_code == httpx2.codes.FORBIDDEN:
            # No token of this login has more scope: a person has to grant it.
            scope = extract_scope_from_www_auth(refused) or ""
            raise make_login_error(self._client.server, "the login has not the scope that is needed", scope=scope)
        async with asyncio.timeout(TOKEN_SECONDS):
            return (await self._logins.fresh(self._address, self._client, used)).authorization
