"""The part of a person in the conformance suite: the login, and the next one where a server wants more of it."""

import re
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from urllib.parse import parse_qs, urlsplit

import httpx2
from mcp.client.auth.utils import union_scopes
from mcp.shared.auth import AuthorizationCodeResult

from tarsy_tool_gateway.mcp.diagnosis import make_login_error
from tarsy_tool_gateway.mcp.logins.consent import log_in
from tarsy_tool_gateway.mcp.logins.login import McpLogin
from tarsy_tool_gateway.mcp.logins.refresh import renew_over
from tarsy_tool_gateway.mcp.server_plan import HttpTransport, LoginClient, WebAddress
from tarsy_tool_gateway.mcp.transports.connections import connections_to

REDIRECT = "http://127.0.0.1:8123/callback"
WANTED = re.compile(r"tarsy servers login \S+(?: --scope '([^']+)')?`")
MOST_LOGINS = 3
SECONDS = 90.0


class MemoryLogins:
    """Logins of one process: without the topic, which the suite knows nothing of."""

    def __init__(self) -> None:
        self.login: McpLogin | None = None

    def find_login(self, address: WebAddress, client: LoginClient) -> McpLogin:
        if self.login is None or not self.login.fits(address.url, client):
            raise make_login_error(client.server, "nobody has logged in")
        return self.login

    async def fresh(self, address: WebAddress, client: LoginClient, refused: str | None) -> McpLogin:
        known = self.find_login(address, client)
        if known.authorization == refused:
            if known.refresh_token is None:
                raise make_login_error(client.server, "the login has ended")
            async with connections_to(address, most=1) as wire:
                self.login = known = await renew_over(wire, client, known, now)
        return known


async def logging_in(
    url: str,
    client_of: Callable[[], Awaitable[LoginClient]],
    session: Callable[[MemoryLogins, LoginClient], Awaitable[str]],
) -> None:
    """Sessions, with a login before each, until one wants no other."""
    logins, scope = MemoryLogins(), ""
    for _ in range(MOST_LOGINS):
        client = await client_of()
        async with connections_to(HttpTransport(url), most=2) as wire:
            logins.login = await log_in(wire, url, client, consent, redirect_uri=REDIRECT, scope=scope, now=now)
        wanted = WANTED.search(await session(logins, client))
        if wanted is None:
            return
        scope = union_scopes(logins.login.scope, wanted[1]) or "" if wanted[1] else ""


async def consent(url: str) -> AuthorizationCodeResult:
    """Says yes at once: the suite's form sends the answer without asking."""
    async with httpx2.AsyncClient(trust_env=False, timeout=SECONDS) as browser:
        answer = await browser.get(url)
    given = {name: values[0] for name, values in parse_qs(urlsplit(answer.headers["location"]).query).items()}
    return AuthorizationCodeResult(code=given["code"], state=given.get("state"), iss=given.get("iss"))


def now() -> datetime:
    return datetime.now(UTC)
