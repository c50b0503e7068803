"""The request that renews a login, and what its answer means."""

from collections.abc import Callable
from datetime import datetime

import httpx2
from mcp.shared.auth import OAuthToken
from pydantic import BaseModel, ValidationError

from tarsy_tool_gateway.mcp.logins.errors import NotRenewedError, RefusedError
from tarsy_tool_gateway.mcp.logins.login import McpLogin, refresh_request, revocation_request
from tarsy_tool_gateway.mcp.server_plan import LoginClient, WebAddress
from tarsy_tool_gateway.mcp.transports.connections import connections_to
from tarsy_tool_gateway.mcp.transports.token_requests import ask, describe_problem
from tarsy_tool_gateway.results.bytes_in_flight import TooLongError

FINAL = frozenset({"invalid_grant", "invalid_client", "unauthorized_client"})
"""Codes of RFC 6749 5.2 that the same request would get again."""


class _OAuthError(BaseModel):
    error: str = ""


async def renew_over(
    wire: httpx2.AsyncBaseTransport, client: LoginClient, login: McpLogin, now: Callable[[], datetime]
) -> McpLogin:
    """The login with its next token. The caller limits the time. Raises RefusedError or NotRenewedError."""
    try:
        answer = await ask(wire, refresh_request(login, client))
        if answer.status_code != httpx2.codes.OK:
            raise _refusal_error(answer)
        return login.renew(OAuthToken.model_validate_json(answer.content), now())
    except (httpx2.TransportError, TooLongError, ValidationError) as problem:
        raise NotRenewedError(describe_problem(problem)) from None


async def revoke(address: WebAddress, client: LoginClient, login: McpLogin) -> bool:
    """Whether the authorization server has taken the token back; False where it has no endpoint for that.

    The caller limits the time. Raises NotRenewedError.
    """
    request = revocation_request(login, client)
    if request is None:
        return False
    try:
        async with connections_to(address, most=1) as wire:
            answer = await ask(wire, request)
    except (httpx2.TransportError, TooLongError) as problem:
        raise NotRenewedError(describe_problem(problem)) from None
    if answer.status_code != httpx2.codes.OK:
        raise NotRenewedError(f"the authorization server answered HTTP {answer.status_code}")
    return True


def _refusal_error(answer: httpx2.Response) -> RefusedError | NotRenewedError:
    try:
        code = _OAuthError.model_validate_json(answer.content).error
    except ValidationError:
        code = ""
    if answer.status_code < 500 and code in FINAL:
        return RefusedError(code)
    return NotRenewedError(f"the authorization server answered HTTP {answer.status_code}")
