"""Tokens by the client's own credentials. They belong to a session with the server: another one is always to be had."""

import asyncio
from functools import partial

import httpx2
from mcp.client.auth.extensions.client_credentials import ClientCredentialsOAuthProvider

from tarsy_tool_gateway.mcp.server_plan import OAuthCredentials
from tarsy_tool_gateway.mcp.transports.memory_tokens import MemoryTokens
from tarsy_tool_gateway.mcp.transports.token_requests import (
    AUTHORIZATION,
    TOKEN_SECONDS,
    ask,
    follow_flow,
    replace_scope,
)


class ClientCredentialsTokens:
    """Tokens for one session. `wire` reaches the authorization server.

    The SDK knows how a token is found (RFC 9728, 8414, 8707). It would also send the requests, one after the other:
    here it is only asked for a token, when the server has refused a request.
    """

    def __init__(self, wire: httpx2.AsyncBaseTransport, url: str, client: OAuthCredentials) -> None:
        self._wire = wire
        self._url = httpx2.URL(url)
        self._scope = client.scope
        self._provider = ClientCredentialsOAuthProvider(
            url, MemoryTokens(), client.client_id, client.client_secret, client.method, client.scope, client.issuer
        )
        self._authorization: str | None = None
        self._renewing = asyncio.Lock()

    def find_authorization(self) -> str | None:
        return self._authorization

    async def renew(self, used: str | None, request: httpx2.Request, refused: httpx2.Response) -> str:
        """One request asks for all that were refused with the same token."""
        async with self._renewing:
            fresh = self._authorization
            if fresh is None or fresh == used:
                async with asyncio.timeout(TOKEN_SECONDS):
                    fresh = self._authorization = await self._request_token(request, refused)
            return fresh

    async def _request_token(self, request: httpx2.Request, refused: httpx2.Response) -> str:
        """Raises OAuthFlowError, and ConnectError where nobody answers: the request itself was not taken."""
        probe = httpx2.Request(request.method, self._url, headers=request.headers)
        probe.headers.pop(AUTHORIZATION, None)
        flow = self._provider.async_auth_flow(probe)
        try:
            if refused.status_code == httpx2.codes.UNAUTHORIZED:
                refused = replace_scope(refused, self._scope)
            return await follow_flow(flow, probe, refused, partial(ask, self._wire))
        finally:
            await flow.aclose()
