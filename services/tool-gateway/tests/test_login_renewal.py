"""Logins on the real topic, as several gateways share them: who renews, and which token counts."""

import asyncio
import os
import select
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, ExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from threading import Event, Thread
from uuid import uuid4

import httpx2
import pytest
from starlette.responses import Response

from tarsy_bus.client.connection import Bus
from tarsy_bus.client.publisher import Publisher
from tarsy_contracts.messages.mcp_tokens import token_key
from tarsy_service.supervision import Supervisor
from tarsy_testing.real_servers import eventually
from tarsy_testing.servers.consent_server import ConsentServer, consent, consent_server
from tarsy_tool_gateway.mcp.diagnosis import LoginNeededError, MisconfiguredError
from tarsy_tool_gateway.mcp.logins.consent import log_in
from tarsy_tool_gateway.mcp.logins.errors import NotRenewedError
from tarsy_tool_gateway.mcp.logins.login import McpLogin
from tarsy_tool_gateway.mcp.logins.renewal import LoginRenewals
from tarsy_tool_gateway.mcp.logins.stored_logins import StoredLogins
from tarsy_tool_gateway.mcp.logins.token_keys import TokenKeys
from tarsy_tool_gateway.mcp.logins.token_topic import TokenWriter, read_tokens
from tarsy_tool_gateway.mcp.server_plan import HttpTransport, LoginClient

NAME = "guarded"
OLD, NEW, OTHER = (f"a key of the tests, number {number}".encode() for number in range(3))
REDIRECT = "http://127.0.0.1:9/callback"
LIMIT_SECONDS = 60.0
SLEEP_SECONDS = 40.0
"""Longer than a renewal may take, and shorter than its claim holds."""


def now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Gateway:
    """The part of one gateway that keeps logins."""

    stored: StoredLogins
    renewals: LoginRenewals
    server: ConsentServer

    @property
    def client(self) -> LoginClient:
        return LoginClient(NAME, self.server.issuer)

    async def fresh(self, refused: str | None = None, client: LoginClient | None = None) -> McpLogin:
        async with asyncio.timeout(LIMIT_SECONDS):
            return await self.renewals.fresh(HttpTransport(self.server.url), client or self.client, refused)


type NewGateway = Callable[..., AbstractAsyncContextManager[Gateway]]


@pytest.fixture
async def server() -> AsyncIterator[ConsentServer]:
    async with consent_server() as server:
        yield server


@pytest.fixture
async def publisher(bus: Bus) -> AsyncIterator[Publisher]:
    async with Publisher(bus, source="test", now=now).running() as publisher:
        yield publisher


@pytest.fixture
def gateway(bus: Bus, publisher: Publisher, server: ConsentServer) -> NewGateway:
    @asynccontextmanager
    async def make(*keys: bytes) -> AsyncIterator[Gateway]:
        supervisor, stored = Supervisor(), StoredLogins(TokenKeys(keys or (NEW,)))
        renewals = LoginRenewals(
            stored, TokenWriter(publisher), claimant=str(uuid4()), now=now, new_id=lambda: str(uuid4())
        )
        async with supervisor.background({"logins": stored.follow(bus)}), renewals.running(supervisor):
            await stored.wait_through()
            yield Gateway(stored, renewals, server)

    return make


@dataclass(frozen=True, slots=True)
class DistantServer:
    """In a thread of its own: it goes on while the loop of the gateways stands still."""

    server: ConsentServer
    loop: asyncio.AbstractEventLoop

    def answer_while_we_sleep(self) -> None:
        """Blocks the loop of the caller until the answer lies in its socket."""
        self.loop.call_soon_threadsafe(self.server.held.set)
        with ExitStack() as opened:
            sockets = [opened.enter_context(one) for one in _open_sockets()]
            ours = [one for one in sockets if _port_of_peer(one) == self.server.port]
            assert select.select(ours, [], [], LIMIT_SECONDS)[0], "the authorization server answers"


def _open_sockets() -> Iterator[socket.socket]:
    for name in os.listdir("/proc/self/fd"):
        with suppress(OSError):
            copy = os.dup(int(name))
            try:
                yield socket.socket(fileno=copy)
            except OSError:
                os.close(copy)


def _port_of_peer(one: socket.socket) -> int | None:
    with suppress(OSError, IndexError):
        return int(one.getpeername()[1])
    return None


@pytest.fixture
def distant() -> Iterator[DistantServer]:
    found: list[DistantServer] = []
    started, over = Event(), Event()

    async def run() -> None:
        async with consent_server() as one:
            found.append(DistantServer(one, asyncio.get_running_loop()))
            started.set()
            await asyncio.to_thread(over.wait)

    thread = Thread(target=lambda: asyncio.run(run()))
    thread.start()
    assert started.wait(LIMIT_SECONDS)
    yield found[0]
    over.set()
    thread.join(LIMIT_SECONDS)


async def record(publisher: Publisher, server: ConsentServer, number: int = 1, key: bytes = NEW) -> McpLogin:
    """A person has logged in."""
    login = await consented(server)
    sealed = TokenKeys([key]).seal(login.model_dump_json().encode(), NAME, number)
    await TokenWriter(publisher).write_token(NAME, number, sealed, str(uuid4()))
    return login


async def consented(server: ConsentServer) -> McpLogin:
    async with httpx2.AsyncHTTPTransport(trust_env=False) as wire:
        client = LoginClient(NAME, server.issuer)
        return await log_in(wire, server.url, client, consent, redirect_uri=REDIRECT, now=now)


async def reads(gateway: Gateway, number: int) -> None:
    await gateway.stored.wait_until(
        lambda: (token := gateway.stored.records.token(NAME)) is not None and token.number >= number
    )


async def test_an_expired_token_is_renewed_once_by_one_of_many_gateways(
    gateway: NewGateway, publisher: Publisher, server: ConsentServer, bus: Bus
) -> None:
    async with gateway() as one, gateway() as other, gateway() as third:
        first = await record(publisher, server)
        await asyncio.gather(*(reads(each, 1) for each in (one, other, third)))
        found = await asyncio.gather(
            *(each.fresh(first.authorization) for each in (one, other, third) for _ in range(5))
        )
        assert len({login.authorization for login in found} - {first.authorization}) == 1
        assert len(server.refreshes) == 1
        again = await asyncio.gather(*(each.fresh(found[0].authorization) for each in (third, one)))
        assert len({login.authorization for login in again} - {found[0].authorization}) == 1
        assert len(server.refreshes) == 2

        async def others_are_gone() -> bool:
            return (await read_tokens(bus)).list_superseded(NAME) == []

        await eventually(others_are_gone, "what counts no longer has a tombstone")
    async with gateway() as later:
        assert (await later.fresh()).authorization == again[0].authorization


async def test_a_token_that_has_expired_by_its_own_word_is_not_sent(
    gateway: NewGateway, publisher: Publisher, server: ConsentServer
) -> None:
    server.life_seconds = 0
    async with gateway() as one:
        first = await record(publisher, server)
        await reads(one, 1)
        assert (await one.fresh()).authorization != first.authorization
        assert len(server.refreshes) == 1, "one renewal, though the new one has expired by its own word, too"


async def test_a_renewal_that_comes_after_a_login_does_not_count(
    gateway: NewGateway, publisher: Publisher, server: ConsentServer, bus: Bus
) -> None:
    async with gateway() as one:
        first = await record(publisher, server)
        await reads(one, 1)
        server.held.clear()
        asked = asyncio.create_task(one.fresh(first.authorization))
        await eventually(lambda: asked_for(server), "the gateway asks the authorization server")
        second = await record(publisher, server, number=2)
        await reads(one, 2)
        server.held.set()
        assert (await asked).authorization == second.authorization
        found = (await read_tokens(bus)).token(NAME)
        assert found is not None
        opened = McpLogin.model_validate_json(TokenKeys([NEW]).open(found.sealed, NAME, found.number))
        assert (found.number, opened.authorization) == (2, second.authorization)


async def test_a_gateway_that_sleeps_while_its_answer_comes_takes_the_answer(
    gateway: NewGateway, publisher: Publisher, distant: DistantServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was dropped once, as the time was over: the refresh token was lost, and the used one was used again."""
    async with gateway() as here, gateway() as there:
        one, other = (replace(each, server=distant.server) for each in (here, there))
        first = await record(publisher, distant.server)
        await asyncio.gather(reads(one, 1), reads(other, 1))
        distant.server.held.clear()
        asked = asyncio.create_task(one.fresh(first.authorization))
        await eventually(lambda: asked_for(distant.server), "the gateway asks the authorization server")
        distant.answer_while_we_sleep()
        skip(SLEEP_SECONDS, monkeypatch)
        found = await asked
        assert found.authorization != first.authorization
        assert (await other.fresh(first.authorization)).authorization == found.authorization
        assert len(distant.server.refreshes) == 1, "no refresh token is used twice"


async def test_a_gateway_that_sleeps_between_its_claim_and_its_request_does_not_ask(
    gateway: NewGateway, publisher: Publisher, server: ConsentServer, monkeypatch: pytest.MonkeyPatch, bus: Bus
) -> None:
    async with gateway() as one, gateway() as other:
        first = await record(publisher, server)
        await asyncio.gather(reads(one, 1), reads(other, 1))
        claimed = one.renewals._claim

        async def claim_and_sleep(server: str, number: int) -> bool:
            holds = await claimed(server, number)
            skip(SLEEP_SECONDS, monkeypatch)
            return holds

        monkeypatch.setattr(one.renewals, "_claim", claim_and_sleep)
        with pytest.raises(NotRenewedError, match="within 30 seconds"):
            await one.fresh(first.authorization)
        assert server.refreshes == []


async def test_what_a_sleeper_writes_late_does_not_count(
    gateway: NewGateway, publisher: Publisher, server: ConsentServer, bus: Bus
) -> None:
    """It slept for longer than its claim holds, with a token that another gateway has replaced meanwhile."""
    async with gateway() as one:
        first = await record(publisher, server)
        await reads(one, 1)
        second = await one.fresh(first.authorization)
        third = await one.fresh(second.authorization)
        for late, number in ((first, 2), (second, 3)):
            sealed = TokenKeys([NEW]).seal_login(late, NAME, number)
            await one.stored.wait_for(await TokenWriter(publisher).write_token(NAME, number, sealed, str(uuid4())))
            assert (await one.fresh()).authorization == third.authorization
        async with gateway() as later:
            assert (await later.fresh()).authorization == third.authorization
        assert len(server.refreshes) == 2


def skip(seconds: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the clock stands after a sleep of this process."""
    loop = asyncio.get_running_loop()
    time = loop.time
    monkeypatch.setattr(loop, "time", lambda: time() + seconds)


async def asked_for(server: ConsentServer) -> bool:
    return bool(server.refreshes)


async def test_a_refresh_token_that_is_refused_is_used_once_and_a_person_is_asked(
    gateway: NewGateway, publisher: Publisher, server: ConsentServer
) -> None:
    async with gateway() as one:
        first = await record(publisher, server)
        await reads(one, 1)
        server.refresh.clear()
        for _ in range(3):
            with pytest.raises(LoginNeededError, match=f"run `tarsy servers login {NAME}`"):
                await one.fresh(first.authorization)
        assert len(server.refreshes) == 1
        second = await record(publisher, server, number=2)
        await reads(one, 2)
        assert (await one.fresh(first.authorization)).authorization == second.authorization


async def test_an_outage_of_the_authorization_server_is_no_reason_to_log_in(
    gateway: NewGateway, publisher: Publisher, server: ConsentServer
) -> None:
    async with gateway() as one:
        first = await record(publisher, server)
        await reads(one, 1)
        server.answer = Response(status_code=503)
        with pytest.raises(NotRenewedError, match="HTTP 503"):
            await one.fresh(first.authorization)
        server.answer = None
        assert (await one.fresh(first.authorization)).authorization != first.authorization


async def test_keys_are_replaced_one_after_the_other(
    gateway: NewGateway, publisher: Publisher, server: ConsentServer
) -> None:
    first = await record(publisher, server, key=OLD)
    async with gateway(NEW, OLD) as both, gateway(OTHER) as wrong, gateway(NEW) as new:
        assert (await both.fresh()).authorization == first.authorization
        for one in (wrong, new):
            with pytest.raises(LoginNeededError, match="does not open with TARSY_TOKEN_KEY"):
                await one.fresh()
        await both.fresh(first.authorization)
        await reads(new, 2)
        assert (await new.fresh()).authorization == (await both.fresh()).authorization


async def test_a_gateway_without_a_key_says_so(bus: Bus, publisher: Publisher, server: ConsentServer) -> None:
    stored = StoredLogins(TokenKeys([]))
    with pytest.raises(MisconfiguredError, match="TARSY_TOKEN_KEY is not set"):
        stored.login(server.url, LoginClient(NAME, server.issuer))


@pytest.mark.parametrize("change", ["a byte", "another server", "another number", "no base64"])
async def test_what_somebody_changed_on_the_topic_is_never_sent(
    gateway: NewGateway, publisher: Publisher, server: ConsentServer, change: str
) -> None:
    login = await consented(server)
    of, number = ("another", 1) if change == "another server" else (NAME, 7 if change == "another number" else 1)
    sealed = TokenKeys([NEW]).seal(login.model_dump_json().encode(), of, number)
    if change == "a byte":
        sealed = sealed[:40] + ("B" if sealed[40] == "A" else "A") + sealed[41:]
    sealed = "no base64!" if change == "no base64" else sealed
    await TokenWriter(publisher).write_token(NAME, 1, sealed, str(uuid4()))
    async with gateway() as one:
        with pytest.raises(LoginNeededError, match="does not open"):
            await one.fresh()


async def test_a_login_for_another_address_issuer_or_client_is_not_sent(
    gateway: NewGateway, publisher: Publisher, server: ConsentServer
) -> None:
    await record(publisher, server)
    async with gateway() as one:
        for client in (LoginClient(NAME, "https://other.example"), LoginClient(NAME, server.issuer, "another")):
            with pytest.raises(LoginNeededError, match="for another address, issuer or client"):
                await one.fresh(client=client)
        with pytest.raises(LoginNeededError, match="for another address"):
            await one.renewals.fresh(HttpTransport("https://other.example/mcp"), one.client, None)


async def test_records_of_strangers_change_nothing(
    gateway: NewGateway, publisher: Publisher, server: ConsentServer, bus: Bus
) -> None:
    first = await record(publisher, server)
    await publisher.write(bus.topics.mcp_tokens, key=b"guarded/9/x", value=b"no login", headers=[])
    async with gateway() as one:
        assert (await one.fresh()).authorization == first.authorization
        found = one.stored.records.token(NAME)
        assert found is not None
        await TokenWriter(publisher).drop([found.key])
        await eventually(lambda: is_gone(one), "a login whose record was deleted is gone")
        assert token_key(NAME, 1, "x").startswith("guarded/1/")


async def is_gone(gateway: Gateway) -> bool:
    return gateway.stored.records.token(NAME) is None
