"""Authorization at an MCP server: a token of its authorization server, by the client's own credentials.

The SDK knows how a token is found (RFC 9728, 8414, 8707). It would also send the requests, one after the other: here it
is only asked for a token, when the server has refused a request.
"""

import asyncio
from collections.abc import AsyncGenerator

import httpx2
from mcp.client.auth import OAuthFlowError
from mcp.client.auth.extensions.client_credentials import ClientCredentialsOAuthProvider
from mcp.client.auth.utils import extract_field_from_www_auth
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken
from pydantic import ValidationError

from tarsy_tool_gateway.mcp.server_plan import OAuthCredentials
from tarsy_tool_gateway.mcp.transports.aiohttp_transport import CONNECT_SECONDS
from tarsy_tool_gateway.mcp.transports.bounded_answer import TooLongError, read_whole, with_content
from tarsy_tool_gateway.mcp.transports.http_errors import NOT_AUTHORIZED

AUTHORIZATION = "authorization"
TOKEN_SECONDS = 30.0
"""For all requests that a token takes."""
READ_SECONDS = 15.0
MOST_BYTES = 256 * 1024
"""Limit for one answer of an authorization server."""
MOST_REQUESTS = 20


class MemoryTokens:
    """A `TokenStorage` for one session: with the client's credentials another token is always to be had."""

    def __init__(self) -> None:
        self._token: OAuthToken | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self._token

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self._token = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return None

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        """The client is that of the configuration."""


class AuthorizedTransport(httpx2.AsyncBaseTransport):
    """Requests to the server carry the token; one that is refused for want of one is sent a second time, with another.

    The token goes to no other scheme, host or port.
    """

    def __init__(self, inner: httpx2.AsyncBaseTransport, url: str, client: OAuthCredentials) -> None:
        self._inner = inner
        self._url = httpx2.URL(url)
        self._provider = ClientCredentialsOAuthProvider(
            url, MemoryTokens(), client.client_id, client.client_secret, client.method, client.scope, client.issuer
        )
        self._authorization: str | None = None
        self._renewing = asyncio.Lock()

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        if _origin(request.url) != _origin(self._url):
            return await self._inner.handle_async_request(request)
        used = self._authorization
        response = await self._sent(request, used)
        if not _wants_another(response):
            return response
        await response.aclose()
        try:
            fresh = await self._renewed(used, request, response)
        except (OAuthFlowError, ValidationError, TooLongError, TimeoutError) as problem:
            return httpx2.Response(401, extensions={NOT_AUTHORIZED: f"no token for it: {_said(problem)}"})
        return await self._sent(request, fresh)

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def _sent(self, request: httpx2.Request, authorization: str | None) -> httpx2.Response:
        if authorization is not None:
            request.headers[AUTHORIZATION] = authorization
        return await self._inner.handle_async_request(request)

    async def _renewed(self, used: str | None, request: httpx2.Request, refused: httpx2.Response) -> str:
        """One request asks for all that were refused with the same token."""
        async with self._renewing:
            fresh = self._authorization
            if fresh is None or fresh == used:
                async with asyncio.timeout(TOKEN_SECONDS):
                    fresh = self._authorization = await self._token(request, refused)
            return fresh

    async def _token(self, request: httpx2.Request, refused: httpx2.Response) -> str:
        """Raises OAuthFlowError, and ConnectError where nobody answers: the request itself was not taken."""
        probe = httpx2.Request(request.method, self._url, headers=request.headers)
        probe.headers.pop(AUTHORIZATION, None)
        flow = self._provider.async_auth_flow(probe)
        try:
            return await self._followed(flow, probe, refused)
        finally:
            await flow.aclose()

    async def _followed(
        self,
        flow: AsyncGenerator[httpx2.Request, httpx2.Response],
        probe: httpx2.Request,
        refused: httpx2.Response,
    ) -> str:
        outgoing, was_refused = await anext(flow), False
        for _ in range(MOST_REQUESTS):
            if outgoing is not probe:
                answer = await self._asked(outgoing)
            elif was_refused:
                return str(probe.headers[AUTHORIZATION])
            else:
                answer, was_refused = refused, True
            try:
                outgoing = await flow.asend(answer)
            except StopAsyncIteration:
                break
        raise OAuthFlowError("the authorization server led to no token")

    async def _asked(self, outgoing: httpx2.Request) -> httpx2.Response:
        outgoing.extensions["timeout"] = {"connect": CONNECT_SECONDS, "pool": CONNECT_SECONDS, "read": READ_SECONDS}
        try:
            response = await self._inner.handle_async_request(outgoing)
            answer = with_content(response, await read_whole(response, MOST_BYTES))
        except httpx2.TransportError as problem:
            raise httpx2.ConnectError(f"no token: {problem}", request=outgoing) from problem
        answer.request = outgoing
        return answer


def _origin(url: httpx2.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port


def _wants_another(response: httpx2.Response) -> bool:
    if response.status_code == httpx2.codes.FORBIDDEN:
        return extract_field_from_www_auth(response, "error") == "insufficient_scope"
    return response.status_code == httpx2.codes.UNAUTHORIZED


def _said(problem: Exception) -> str:
    match problem:
        case TimeoutError():
            return f"nobody gave one within {TOKEN_SECONDS:g} seconds"
        case TooLongError():
            return f"its authorization server answers with more than {MOST_BYTES} bytes"
        case ValidationError():
            # pydantic's own words hold what the server said.
            return "its authorization server answers what is no token"
        case _:
            return str(problem)
