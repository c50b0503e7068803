"""A person's consent: the authorization code flow with PKCE, as the SDK's provider knows it."""

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import get_args

import httpx2
from mcp.client.auth import OAuthClientProvider
from mcp.client.auth.utils import extract_scope_from_www_auth, issuers_match, union_scopes
from mcp.shared.auth import (
    AuthorizationCodeResult,
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthMetadata,
)
from pydantic import AnyUrl

from tarsy_tool_gateway.mcp.logins.errors import ConsentError
from tarsy_tool_gateway.mcp.logins.login import McpLogin, TokenAuthentication, expiry_of
from tarsy_tool_gateway.mcp.sdk_internals import IssuerProvider
from tarsy_tool_gateway.mcp.server_plan import LoginClient
from tarsy_tool_gateway.mcp.transports.memory_tokens import MemoryTokens
from tarsy_tool_gateway.mcp.transports.token_requests import ask, follow_flow, replace_scope

PROTOCOL = "2025-11-25"
PROBE = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
ACCEPTED = "application/json, text/event-stream"

type Person = Callable[[str], Awaitable[AuthorizationCodeResult]]
"""Opens the address, and returns what the authorization server sent back."""


async def log_in(
    wire: httpx2.AsyncBaseTransport,
    address: str,
    client: LoginClient,
    person: Person,
    *,
    redirect_uri: str,
    scope: str = "",
    now: Callable[[], datetime],
) -> McpLogin:
    """Nothing is registered or exchanged but with the issuer of the configuration. `scope`: more than is asked for.

    The caller limits the time. Raises ConsentError, OAuthFlowError, ValidationError, TooLongError and TransportError.
    """
    record = MemoryTokens(_configured_client(client, redirect_uri))
    codes: list[AuthorizationCodeResult] = []

    async def open_address(url: str) -> None:
        require_issuer(provider.context.oauth_metadata, client.issuer)
        codes.append(await person(url))

    async def take_code() -> AuthorizationCodeResult:
        return codes.pop()

    async def ask_issuer(outgoing: httpx2.Request) -> httpx2.Response:
        if outgoing.method != "GET":
            _check_endpoint(outgoing, require_issuer(provider.context.oauth_metadata, client.issuer))
        return await ask(wire, outgoing)

    metadata = OAuthClientMetadata(
        redirect_uris=[AnyUrl(redirect_uri)], client_name="TARSy", token_endpoint_auth_method=None
    )
    provider = IssuerProvider(address, metadata, record, open_address, take_code)
    provider.issuer = client.issuer
    probe = httpx2.Request("POST", address, json=PROBE, headers={"accept": ACCEPTED, "mcp-protocol-version": PROTOCOL})
    refused = await _ask_for_refusal(wire, probe)
    refused = replace_scope(refused, _choose_scope(refused, client.scope, scope))
    flow = provider.async_auth_flow(probe)
    try:
        await follow_flow(flow, probe, refused, ask_issuer)
    finally:
        await flow.aclose()
    return _make_login(provider, record, address, client, now())


def require_issuer(metadata: OAuthMetadata | None, issuer: str) -> OAuthMetadata:
    """Raises ConsentError where the MCP server leads to another authorization server, or to none."""
    if metadata is None:
        raise ConsentError(f"nobody answers for the issuer {issuer}: no metadata of an authorization server was found")
    if not issuers_match(str(metadata.issuer), issuer):
        raise ConsentError(f"the server leads to the issuer {metadata.issuer}, and the configuration names {issuer}")
    return metadata


def _check_endpoint(outgoing: httpx2.Request, metadata: OAuthMetadata) -> None:
    """The SDK would register at the MCP server where the issuer registers nobody. Raises ConsentError."""
    endpoints = (metadata.token_endpoint, metadata.registration_endpoint)
    if outgoing.url not in [httpx2.URL(str(one)) for one in endpoints if one is not None]:
        raise ConsentError(f"the issuer {metadata.issuer} registers no clients: write the client_id of one")


def _configured_client(client: LoginClient, redirect_uri: str) -> OAuthClientInformationFull | None:
    if client.client_id is None:
        return None
    return OAuthClientInformationFull(
        redirect_uris=[AnyUrl(redirect_uri)],
        client_id=client.client_id,
        client_secret=client.client_secret,
        token_endpoint_auth_method="none" if client.client_secret is None else client.method,
    )


async def _ask_for_refusal(wire: httpx2.AsyncBaseTransport, probe: httpx2.Request) -> httpx2.Response:
    """The server's own, which names its scope and the place of its metadata; or an empty one."""
    sent = httpx2.Request(probe.method, probe.url, headers=probe.headers, content=probe.content)
    answer = await ask(wire, sent)
    if answer.status_code == httpx2.codes.UNAUTHORIZED:
        return answer
    return httpx2.Response(httpx2.codes.UNAUTHORIZED, request=sent)


def _choose_scope(refused: httpx2.Response, configured: str | None, more: str) -> str | None:
    """None where the server decides."""
    requested = configured or (extract_scope_from_www_auth(refused) if more else None)
    return union_scopes(requested, more or None)


def _make_login(
    provider: OAuthClientProvider, record: MemoryTokens, address: str, client: LoginClient, now: datetime
) -> McpLogin:
    metadata, registered, token = (
        require_issuer(provider.context.oauth_metadata, client.issuer),
        record.client,
        record.token,
    )
    if token is None or registered is None:
        raise ConsentError("the authorization server led to no token")
    context = provider.context
    return McpLogin(
        address=address,
        issuer=client.issuer,
        token_endpoint=str(metadata.token_endpoint),
        revocation_endpoint=None if metadata.revocation_endpoint is None else str(metadata.revocation_endpoint),
        resource=context.get_resource_url() if context.should_include_resource_param(PROTOCOL) else None,
        client_id=registered.client_id,
        configured_client=client.client_id,
        client_secret=registered.client_secret if client.client_id is None else None,
        client_authentication=_token_authentication(registered),
        access_token=token.access_token,
        refresh_token=token.refresh_token,
        expires_at=expiry_of(token, now),
        scope=token.scope,
    )


def _token_authentication(registered: OAuthClientInformationFull) -> TokenAuthentication:
    for known in get_args(TokenAuthentication.__value__):
        if registered.token_endpoint_auth_method == known and registered.client_secret is not None:
            return known  # type: ignore[no-any-return]  # one of the literals
    return "none"
