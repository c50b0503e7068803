"""Tokens for an MCP server: where they come from, who gets them, and how seldom they are asked for."""

import asyncio
import base64
from collections.abc import Callable
from dataclasses import replace
from urllib.parse import parse_qs

import httpx2
import pytest

from tarsy_tool_gateway.mcp.direct_calls import DirectCalls
from tarsy_tool_gateway.mcp.server_plan import OAuthCredentials
from tarsy_tool_gateway.mcp.transports import token_requests
from tarsy_tool_gateway.mcp.transports.authorization import AuthorizedTransport
from tarsy_tool_gateway.mcp.transports.client_credentials import ClientCredentialsTokens
from tarsy_tool_gateway.mcp.transports.http_errors import NOT_AUTHORIZED, HttpErrorTransport
from tarsy_tool_gateway.mcp.transports.server_stream import ServerStream

SERVER, ISSUER = "https://mcp.example.com/mcp", "https://login.example.com"
METADATA = "https://mcp.example.com/.well-known/oauth-protected-resource"
CLIENT = OAuthCredentials(ISSUER, "tarsy", "a secret: of the client")


class Wire(httpx2.AsyncBaseTransport):
    """The MCP server, its authorization server, and what each of them was sent. A token counts until `revoked`."""

    def __init__(self) -> None:
        self.sent: list[httpx2.Request] = []
        self.issuer = ISSUER
        self.given = 0
        self.revoked = 0
        self.scope = ""
        self.challenge = ""
        self.broken: Callable[[httpx2.Request], httpx2.Response | None] = lambda _: None

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        self.sent.append(httpx2.Request(request.method, request.url, headers=request.headers, content=request.content))
        await asyncio.sleep(0)
        if (answer := self.broken(request)) is not None:
            return answer
        return self._answer(request)

    def _answer(self, request: httpx2.Request) -> httpx2.Response:
        address = str(request.url)
        if address == SERVER:
            return self._served(request)
        if address.startswith(METADATA):
            return httpx2.Response(200, json={"resource": SERVER, "authorization_servers": [self.issuer]})
        if address == f"{self.issuer}/.well-known/oauth-authorization-server":
            metadata = {"issuer": self.issuer, "token_endpoint": f"{self.issuer}/token"}
            more = {"authorization_endpoint": f"{self.issuer}/authorize", "response_types_supported": ["code"]}
            return httpx2.Response(200, json=metadata | more)
        if address == f"{self.issuer}/token":
            self.given += 1
            return httpx2.Response(200, json={"access_token": f"token-{self.given}", "token_type": "Bearer"})
        return httpx2.Response(404)

    def _served(self, request: httpx2.Request) -> httpx2.Response:
        _, _, number = request.headers.get("authorization", "").partition("token-")
        if not number or int(number) <= self.revoked:
            return httpx2.Response(
                401, headers={"www-authenticate": f'Bearer resource_metadata="{METADATA}"{self.challenge}'}
            )
        if self.scope and int(number) == 1:
            challenge = f'Bearer error="insufficient_scope", scope="{self.scope}", resource_metadata="{METADATA}"'
            return httpx2.Response(403, headers={"www-authenticate": challenge})
        return httpx2.Response(200, json={"for": request.headers["authorization"]})

    def sent_to(self, address: str) -> list[httpx2.Request]:
        return [request for request in self.sent if str(request.url).startswith(address)]


@pytest.fixture
def wire() -> Wire:
    return Wire()


@pytest.fixture
def transport(wire: Wire) -> AuthorizedTransport:
    return AuthorizedTransport(wire, SERVER, ClientCredentialsTokens(wire, SERVER, CLIENT))


async def ask(transport: AuthorizedTransport, url: str = SERVER) -> httpx2.Response:
    headers = {"mcp-protocol-version": "2025-11-25"}
    return await transport.handle_async_request(httpx2.Request("POST", url, headers=headers, content=b"{}"))


async def test_the_clients_credentials_buy_a_token_for_this_server_which_is_used_again(
    wire: Wire, transport: AuthorizedTransport
) -> None:
    answers = [await ask(transport) for _ in range(3)]
    assert [answer.json() for answer in answers] == [{"for": "Bearer token-1"}] * 3
    (bought,) = wire.sent_to(f"{ISSUER}/token")
    scheme, _, credentials = bought.headers["authorization"].partition(" ")
    assert (scheme, base64.b64decode(credentials)) == ("Basic", b"tarsy:a%20secret%3A%20of%20the%20client")
    asked = parse_qs(bought.content.decode())
    assert (asked["grant_type"], asked["resource"]) == (["client_credentials"], [SERVER])
    assert [request.content for request in wire.sent_to(SERVER)] == [b"{}"] * 4


async def test_requests_at_a_time_share_one_token(wire: Wire, transport: AuthorizedTransport) -> None:
    answers = await asyncio.gather(*(ask(transport) for _ in range(10)))
    assert {answer.status_code for answer in answers} == {200}
    assert wire.given == 1


async def test_a_token_that_counts_no_longer_is_replaced_once(wire: Wire, transport: AuthorizedTransport) -> None:
    await ask(transport)
    wire.revoked = 1
    answers = await asyncio.gather(*(ask(transport) for _ in range(5)))
    assert {answer.json()["for"] for answer in answers} == {"Bearer token-2"}
    assert wire.given == 2


async def test_more_scope_is_asked_for_where_the_server_wants_it(wire: Wire, transport: AuthorizedTransport) -> None:
    wire.scope = "tools.write"
    assert (await ask(transport)).status_code == 403
    assert (await ask(transport)).json() == {"for": "Bearer token-2"}
    assert parse_qs(wire.sent_to(f"{ISSUER}/token")[-1].content.decode())["scope"] == ["tools.write"]


async def test_the_scope_of_the_configuration_counts_before_that_of_the_server(wire: Wire) -> None:
    scoped = replace(CLIENT, scope="tools.read")
    transport = AuthorizedTransport(wire, SERVER, ClientCredentialsTokens(wire, SERVER, scoped))
    wire.challenge = ', scope="everything"'
    assert (await ask(transport)).status_code == 200
    assert parse_qs(wire.sent_to(f"{ISSUER}/token")[-1].content.decode())["scope"] == ["tools.read"]


async def test_a_server_that_refuses_every_token_is_sent_each_request_twice(
    wire: Wire, transport: AuthorizedTransport
) -> None:
    wire.revoked = 1_000
    assert [(await ask(transport)).status_code for _ in range(3)] == [401] * 3
    assert (wire.given, len(wire.sent_to(SERVER))) == (3, 6)


async def test_nobody_else_gets_the_token_or_the_secret(wire: Wire, transport: AuthorizedTransport) -> None:
    await ask(transport)
    for other in ("https://other.example.com/mcp", "http://mcp.example.com/mcp", "https://mcp.example.com:444/mcp"):
        await ask(transport, other)
        assert "authorization" not in wire.sent[-1].headers


@pytest.mark.parametrize("issuer", ["https://evil.example.com", "https://login.example.com/other"])
async def test_the_secret_goes_to_the_issuer_of_the_configuration_and_to_no_other(
    wire: Wire, transport: AuthorizedTransport, issuer: str
) -> None:
    wire.issuer = issuer
    refused = await ask(transport)
    assert refused.status_code == 401
    assert str(refused.extensions[NOT_AUTHORIZED]).startswith("no token for it: ")
    assert [request for request in wire.sent if "Basic" in request.headers.get("authorization", "")] == []


async def test_an_authorization_server_that_is_away_is_no_broken_call(
    wire: Wire, transport: AuthorizedTransport
) -> None:
    def away(request: httpx2.Request) -> None:
        if str(request.url).startswith(ISSUER):
            raise httpx2.ReadTimeout("no answer", request=request)

    wire.broken = away
    with pytest.raises(httpx2.ConnectError, match="no token: no answer"):
        await ask(transport)
    wire.broken = lambda _: None
    assert (await ask(transport)).status_code == 200


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (httpx2.Response(401, json={"error": "invalid_client"}), "invalid_client"),
        (httpx2.Response(200, content=b"x" * 1_000_000), "more than 262144 bytes"),
        (httpx2.Response(200, content=b"<html>"), ""),
        (httpx2.Response(200, json={"token_type": "Bearer"}), ""),
    ],
    ids=["refused", "endless", "a page", "no token"],
)
async def test_an_answer_without_a_token_is_said_and_costs_this_request(
    wire: Wire, transport: AuthorizedTransport, answer: httpx2.Response, said: str
) -> None:
    wire.broken = lambda request: answer if str(request.url).endswith("/token") else None
    refused = await ask(transport)
    assert refused.status_code == 401
    assert said in str(refused.extensions[NOT_AUTHORIZED])
    wire.broken = lambda _: None
    assert (await ask(transport)).status_code == 200


async def test_the_reason_is_told_to_whoever_asked(wire: Wire, transport: AuthorizedTransport) -> None:
    wire.issuer = "https://evil.example.com"
    errors = HttpErrorTransport(transport, ServerStream(), DirectCalls())
    question = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    error = (await errors.handle_async_request(httpx2.Request("POST", SERVER, json=question))).json()["error"]
    assert error["message"].startswith("no token for it: ")
    assert error["data"] == {"tarsy": "refused", "status": 401}


async def test_an_authorization_server_that_never_comes_to_an_end_is_given_up(
    wire: Wire, transport: AuthorizedTransport, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(token_requests, "MOST_REQUESTS", 3)
    assert "led to no token" in str((await ask(transport)).extensions[NOT_AUTHORIZED])
