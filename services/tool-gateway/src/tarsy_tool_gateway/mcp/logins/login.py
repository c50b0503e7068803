"""A login at an MCP server as it is sealed, and the request that renews it. Pure."""

import base64
from datetime import datetime, timedelta
from typing import Literal
from urllib.parse import quote

import httpx2
from mcp.shared.auth import OAuthToken
from pydantic import BaseModel, ConfigDict, Field

from tarsy_tool_gateway.mcp.server_plan import LoginClient

MOST_SECONDS = 10 * 365 * 86_400
"""A server may say any number; dates end."""

type TokenAuthentication = Literal["none", "client_secret_basic", "client_secret_post"]


class McpLogin(BaseModel):
    """`address`, `issuer`: the server and the authorization server that it counts for; it is sent to no other.

    `client_id` and `client_secret` are those of a registration at the login, unless there is a `configured_client`,
    whose secret stands in the configuration. `resource`: what tokens were asked for (RFC 8707). Without `expires_at`
    nothing is known of an end. `revocation_endpoint`: where the authorization server takes a token back (RFC 7009).
    """

    model_config = ConfigDict(frozen=True)

    address: str
    issuer: str
    token_endpoint: str
    revocation_endpoint: str | None = None
    resource: str | None = None
    client_id: str
    configured_client: str | None = None
    client_secret: str | None = Field(None, repr=False)
    client_authentication: TokenAuthentication = "none"
    access_token: str = Field(repr=False)
    refresh_token: str | None = Field(None, repr=False)
    expires_at: datetime | None = None
    scope: str | None = None

    @property
    def authorization(self) -> str:
        return f"Bearer {self.access_token}"

    @property
    def ends_at(self) -> datetime | None:
        """When somebody must log in again; None where it is renewed, or nobody knows."""
        return None if self.refresh_token is not None else self.expires_at

    def has_expired(self, now: datetime) -> bool:
        return self.expires_at is not None and self.expires_at <= now

    def fits(self, address: str, client: LoginClient) -> bool:
        """Whether it counts for the server and the client of the configuration."""
        return (self.address, self.issuer, self.configured_client) == (address, client.issuer, client.client_id)

    def renew(self, token: OAuthToken, now: datetime) -> "McpLogin":
        """The same login with its next token. Fields that the answer leaves out stay as they were."""
        return self.model_copy(
            update={
                "access_token": token.access_token,
                "refresh_token": token.refresh_token or self.refresh_token,
                "expires_at": expiry_of(token, now),
                "scope": token.scope or self.scope,
            }
        )


def expiry_of(token: OAuthToken, now: datetime) -> datetime | None:
    """By the server's word, within bounds."""
    if token.expires_in is None:
        return None
    return now + timedelta(seconds=max(0, min(token.expires_in, MOST_SECONDS)))


def refresh_request(login: McpLogin, client: LoginClient) -> httpx2.Request:
    """The login has a refresh token."""
    data = {"grant_type": "refresh_token", "refresh_token": login.refresh_token or "", "client_id": login.client_id}
    if login.resource is not None:
        data["resource"] = login.resource
    return _request_of_client(login, client, login.token_endpoint, data)


def revocation_request(login: McpLogin, client: LoginClient) -> httpx2.Request | None:
    """It names the refresh token, with which the login ends, or else the access token. None without an endpoint."""
    if login.revocation_endpoint is None:
        return None
    token, hint = login.refresh_token or login.access_token, "refresh_token" if login.refresh_token else "access_token"
    data = {"token": token, "token_type_hint": hint, "client_id": login.client_id}
    return _request_of_client(login, client, login.revocation_endpoint, data)


def _request_of_client(login: McpLogin, client: LoginClient, url: str, data: dict[str, str]) -> httpx2.Request:
    headers: dict[str, str] = {}
    secret = client.client_secret or login.client_secret or ""
    match login.client_authentication:
        case "client_secret_basic":
            credentials = f"{quote(login.client_id, safe='')}:{quote(secret, safe='')}"
            headers["authorization"] = f"Basic {base64.b64encode(credentials.encode()).decode()}"
        case "client_secret_post":
            data["client_secret"] = secret
        case "none":
            pass
    return httpx2.Request("POST", url, data=data, headers={"accept": "application/json", **headers})
