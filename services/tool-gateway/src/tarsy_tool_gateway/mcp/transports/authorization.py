"""Authorization at an MCP server: requests carry a token of its authorization server."""

from typing import Protocol

import httpx2
from mcp.client.auth import OAuthFlowError
from mcp.client.auth.utils import extract_field_from_www_auth
from pydantic import ValidationError

from tarsy_tool_gateway.mcp.diagnosis import LoginNeededError, MisconfiguredError
from tarsy_tool_gateway.mcp.logins.errors import NotRenewedError
from tarsy_tool_gateway.mcp.transports.http_errors import LOGIN_NEEDED, NOT_AUTHORIZED
from tarsy_tool_gateway.mcp.transports.token_requests import AUTHORIZATION, describe_problem
from tarsy_tool_gateway.results.bytes_in_flight import TooLongError

WITHOUT_TOKEN = (MisconfiguredError, NotRenewedError, OAuthFlowError, ValidationError, TooLongError, TimeoutError)


class TokenSource(Protocol):
    def find_authorization(self) -> str | None:
        """The header for the next request; None while there is none."""
        ...

    async def renew(self, used: str | None, request: httpx2.Request, refused: httpx2.Response) -> str:
        """Another header than the used one, with which the server has refused the request.

        Raises LoginNeededError, those of WITHOUT_TOKEN, and ConnectError where nobody answers.
        """
        ...


class AuthorizedTransport(httpx2.AsyncBaseTransport):
    """Requests to the server carry the token; one that is refused for want of one is sent a second time, with another.

    The token goes to no other scheme, host or port.
    """

    def __init__(self, inner: httpx2.AsyncBaseTransport, url: str, tokens: TokenSource) -> None:
        self._inner = inner
        self._url = httpx2.URL(url)
        self._tokens = tokens

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        if _origin(request.url) != _origin(self._url):
            return await self._inner.handle_async_request(request)
        used = self._tokens.find_authorization()
        response = await self._send_authorized(request, used)
        if not _wants_another_token(response):
            return response
        await response.aclose()
        try:
            fresh = await self._tokens.renew(used, request, response)
        except LoginNeededError as problem:
            return httpx2.Response(401, extensions={NOT_AUTHORIZED: str(problem), LOGIN_NEEDED: True}, request=request)
        except WITHOUT_TOKEN as problem:
            message = f"no token for it: {describe_problem(problem)}"
            return httpx2.Response(401, extensions={NOT_AUTHORIZED: message}, request=request)
        return await self._send_authorized(request, fresh)

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def _send_authorized(self, request: httpx2.Request, authorization: str | None) -> httpx2.Response:
        if authorization is not None:
            request.headers[AUTHORIZATION] = authorization
        return await self._inner.handle_async_request(request)


def _origin(url: httpx2.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port


def _wants_another_token(response: httpx2.Response) -> bool:
    if response.status_code == httpx2.codes.FORBIDDEN:
        return extract_field_from_www_auth(response, "error") == "insufficient_scope"
    return response.status_code == httpx2.codes.UNAUTHORIZED
