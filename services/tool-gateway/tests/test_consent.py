"""A person's consent for an MCP server: what the login gives, and to whom anything is said."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest
from mcp.client.auth import OAuthFlowError
from mcp.shared.auth import AuthorizationCodeResult
from starlette.responses import Response

from tarsy_testing.servers.consent_server import SCOPE, ConsentServer, consent, consent_server
from tarsy_tool_gateway.mcp.logins.consent import Person, log_in
from tarsy_tool_gateway.mcp.logins.errors import ConsentError, NotRenewedError, RefusedError
from tarsy_tool_gateway.mcp.logins.login import McpLogin
from tarsy_tool_gateway.mcp.logins.refresh import renew_over
from tarsy_tool_gateway.mcp.server_plan import HttpTransport, LoginClient
from tarsy_tool_gateway.mcp.transports.connections import connections_to

NOW = datetime(2026, 11, 26, 12, tzinfo=UTC)
REDIRECT = "http://127.0.0.1:9/callback"


@pytest.fixture
async def server() -> AsyncIterator[ConsentServer]:
    async with consent_server() as server:
        yield server


async def logged_in(
    server: ConsentServer, person: Person = consent, *, client: LoginClient | None = None, scope: str = ""
) -> McpLogin:
    client = client or LoginClient("guarded", server.issuer)
    async with connections_to(HttpTransport(server.url), most=2) as wire:
        return await log_in(wire, server.url, client, person, redirect_uri=REDIRECT, scope=scope, now=lambda: NOW)


async def renewed(server: ConsentServer, login: McpLogin, client: LoginClient | None = None) -> McpLogin:
    client = client or LoginClient("guarded", server.issuer)
    async with connections_to(HttpTransport(server.url), most=2) as wire:
        return await renew_over(wire, client, login, lambda: NOW)


async def test_a_person_who_consents_once_gives_tokens_that_renew_themselves(server: ConsentServer) -> None:
    login = await logged_in(server)
    assert (login.address, login.issuer, login.resource) == (server.url, server.issuer, server.url)
    assert (login.client_id, login.client_secret) == ("client-1", server.clients["client-1"])
    assert (login.scope, login.expires_at, login.ends_at) == (SCOPE, NOW + timedelta(hours=1), None)
    after = await renewed(server, login)
    assert after.authorization != login.authorization
    assert after.refresh_token != login.refresh_token
    assert server.judged(after.authorization) is None
    assert server.grants[-1]["resource"] == server.url
    assert str(login.access_token) not in repr(login)
    assert str(login.refresh_token) not in repr(login)


async def test_a_client_of_the_configuration_is_used_and_its_secret_stays_there(server: ConsentServer) -> None:
    server.clients["ours"] = "a secret: of ours"
    client = LoginClient("guarded", server.issuer, "ours", "a secret: of ours", scope="tools.read tools.write")
    login = await logged_in(server, client=client)
    assert list(server.clients) == ["ours"]
    assert (login.client_id, login.client_secret, login.scope) == ("ours", None, "tools.read tools.write")
    assert (await renewed(server, login, client)).scope == "tools.read tools.write"


async def test_a_public_client_sends_no_secret(server: ConsentServer) -> None:
    server.clients["https://tarsy.example/client.json"] = None
    client = LoginClient("guarded", server.issuer, "https://tarsy.example/client.json")
    login = await logged_in(server, client=client)
    assert login.client_authentication == "none"
    assert (await renewed(server, login, client)).authorization != login.authorization


async def test_more_scope_is_asked_for_beside_what_the_server_wants(server: ConsentServer) -> None:
    assert (await logged_in(server, scope="tools.write")).scope == f"{SCOPE} tools.write"


async def test_nobody_is_asked_where_the_server_leads_to_another_issuer(server: ConsentServer) -> None:
    async with consent_server() as evil:
        server.named_issuer = evil.issuer
        asked: list[str] = []

        async def person(url: str) -> AuthorizationCodeResult:
            asked.append(url)
            raise AssertionError

        with pytest.raises(ConsentError, match="leads to the issuer"):
            await logged_in(server, person)
        assert (asked, evil.clients, evil.grants) == ([], {}, [])


async def test_nobody_is_registered_at_the_mcp_server_where_the_issuer_registers_nobody(server: ConsentServer) -> None:
    server.registers = False
    with pytest.raises(ConsentError, match="registers no clients: write the client_id of one"):
        await logged_in(server)
    assert server.clients == {}


async def test_a_time_that_no_calendar_has_is_bounded(server: ConsentServer) -> None:
    for seconds, expected in ((10**20, NOW + timedelta(days=3650)), (-(10**20), NOW)):
        server.life_seconds = seconds
        login = await logged_in(server)
        assert (login.expires_at, (await renewed(server, login)).expires_at) == (expected, expected)


async def test_an_answer_with_another_state_gives_nothing(server: ConsentServer) -> None:
    async def person(url: str) -> AuthorizationCodeResult:
        return (await consent(url)).model_copy(update={"state": "somebody's"})

    with pytest.raises(OAuthFlowError, match="State"):
        await logged_in(server, person)
    assert server.grants == []


async def test_a_refresh_token_that_counts_no_longer_is_told_from_an_outage(server: ConsentServer) -> None:
    login = await logged_in(server)
    server.answer = Response(status_code=503)
    with pytest.raises(NotRenewedError, match="HTTP 503"):
        await renewed(server, login)
    server.answer = None
    await renewed(server, login)
    with pytest.raises(RefusedError, match="invalid_grant"):
        await renewed(server, login)
    gone = login.model_copy(update={"token_endpoint": "http://127.0.0.1:9/token"})
    with pytest.raises(NotRenewedError):
        await renewed(server, gone)
