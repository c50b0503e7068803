"""A WebSocket with authentication, over a real one: it is refused before the upgrade, and ends with its credential."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

import pytest
from prometheus_client import CollectorRegistry
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.typing import Subprotocol

from tarsy_auth.identity import Identity, Refusal
from tarsy_auth.roles import Role
from tarsy_auth.session_groups import GroupLabels, SessionGroup, VisibleGroups
from tarsy_contracts.api.visible_sessions import VisibleSessions
from tarsy_processes.ports import free_port
from tarsy_service.access.http_policy import HttpPolicy
from tarsy_service.http.server import http_server
from tarsy_service.http.websocket_frames import frame_writer
from tarsy_service.process.runner import Readiness, build_app
from tarsy_service.process.service import Ready, Service
from tarsy_testing.access import authenticate, key_of
from tarsy_websocket_gateway.clients import connection
from tarsy_websocket_gateway.clients.client import Client
from tarsy_websocket_gateway.clients.connection import Connection
from tarsy_websocket_gateway.clients.hub import Hub
from tarsy_websocket_gateway.clients.routes import ClientLimit, websocket_routes
from tarsy_websocket_gateway.messages.history import History
from tarsy_websocket_gateway.messages.outgoing import Outgoing
from tarsy_websocket_gateway.messages.running_calls import Call
from tarsy_websocket_gateway.metrics import Metrics
from tarsy_websocket_gateway.rights import RIGHTS

WAIT_SECONDS = 90.0
NOW = 1_800_000_000.0
OFFERED = [Subprotocol("tarsy.v1"), Subprotocol("tarsy.bearer.viewer")]
VIEWER = {"Authorization": key_of(Role.VIEWER)}
SOON = {"Authorization": "Bearer soon"}
LIMITED = {"Authorization": "Bearer limited"}
SHOP = SessionGroup("shop", {"namespace": ("shop",)})


async def authenticate_for_a_moment(credential: str | None) -> Identity | Refusal:
    """The key `soon` expires a moment after NOW."""
    if credential == SOON["Authorization"]:
        return Identity("ann", Role.VIEWER, "token", "soon", NOW + 0.05)
    if credential == LIMITED["Authorization"]:
        return Identity("bob", Role.VIEWER, "api_key", "limited", session_groups=(SHOP,))
    return await authenticate(credential)


class NoSessions:
    """Nothing happens in any. In the group `shop` are those whose id begins so."""

    def watch(self, session_id: str) -> None:
        return

    async def visibility(self, session_ids: Sequence[str], groups: GroupLabels) -> VisibleSessions:
        assert groups == [{"namespace": ["shop"]}]
        visible = tuple(one for one in session_ids if one.startswith("shop"))
        return VisibleSessions(visible=visible, hidden=tuple(sorted({*session_ids} - {*visible})))

    def list_running_calls(self, session_id: str) -> list[Call]:
        return []

    async def history(self, session_id: str) -> History:
        return History()

    async def follow_list(self) -> None:
        return


async def nothing(ready: Ready) -> None:
    ready()


@pytest.fixture
def registry() -> CollectorRegistry:
    return CollectorRegistry()


@pytest.fixture
def taken_away() -> set[str | None]:
    """Credentials that count no longer."""
    return set()


@pytest.fixture
def regrouped() -> dict[str | None, VisibleGroups]:
    """Credentials that now have other session groups."""
    return {}


@pytest.fixture
def hub() -> Hub:
    return Hub()


@pytest.fixture
async def url(
    registry: CollectorRegistry, hub: Hub, taken_away: set[str | None], regrouped: dict[str | None, VisibleGroups]
) -> AsyncIterator[str]:
    async def authenticate_now(credential: str | None) -> Identity | Refusal:
        if credential in taken_away:
            return Refusal("unknown", "The key is not known.")
        found = await authenticate_for_a_moment(credential)
        if isinstance(found, Identity) and credential in regrouped:
            return replace(found, session_groups=regrouped[credential])
        return found

    metrics = Metrics(registry)
    hub.open = True
    router = websocket_routes(
        hub,
        lambda websocket: Connection(
            websocket, Client(frame_writer(websocket), 10), hub, NoSessions(), metrics, lambda: NOW
        ),
        metrics,
        ClientLimit(2),
    )
    policy = HttpPolicy(authenticate=authenticate_now)
    service = Service("gateway", nothing, router, rights=RIGHTS)
    app, port = build_app([service], Readiness([]), registry, policy=policy), free_port()
    async with http_server(app, "127.0.0.1", port):
        yield f"ws://127.0.0.1:{port}/api/v1/ws"


@pytest.mark.parametrize(
    ("path", "headers", "offered", "status"),
    [
        ("", {}, [], 401),
        ("", {"Authorization": "Bearer wrong"}, [], 401),
        ("", {"Authorization": "Bearer expired"}, [], 401),
        ("", {"Authorization": "Bearer away"}, [], 503),
        ("?token=viewer&access_token=viewer", {}, [], 401),
        ("", VIEWER, OFFERED, 401),
        ("", {}, OFFERED[1:], 401),
        ("/other", VIEWER, [], 404),
    ],
    ids=["none", "wrong", "expired", "provider away", "in the query", "two", "no version offered", "no such address"],
)
async def test_whoever_may_not_watch_is_refused_before_the_upgrade(
    url: str, path: str, headers: dict[str, str], offered: list[Subprotocol], status: int
) -> None:
    with pytest.raises(InvalidStatus) as refused:
        await connect(f"{url}{path}", additional_headers=headers, subprotocols=offered or None)
    response = refused.value.response
    assert response.status_code == status
    assert response.headers["content-type"] == "application/problem+json"
    assert response.headers.get("www-authenticate") == ("Bearer" if status == 401 else None)


async def test_a_program_sends_a_header_and_gets_no_subprotocol(url: str) -> None:
    async with asyncio.timeout(WAIT_SECONDS), connect(url, additional_headers=VIEWER) as client:
        assert "connection.established" in str(await client.recv())
        assert client.subprotocol is None


async def test_a_browser_offers_its_token_and_gets_the_version_back(url: str) -> None:
    async with asyncio.timeout(WAIT_SECONDS), connect(url, subprotocols=OFFERED) as client:
        assert "connection.established" in str(await client.recv())
        assert client.subprotocol == "tarsy.v1"


async def test_a_connection_is_closed_when_its_identity_expires(url: str, registry: CollectorRegistry) -> None:
    async with asyncio.timeout(WAIT_SECONDS), connect(url, additional_headers=SOON) as client:
        assert "connection.established" in str(await client.recv())
        with pytest.raises(ConnectionClosed) as closed:
            await client.recv()
    assert closed.value.rcvd is not None
    assert (closed.value.rcvd.code, "expired" in closed.value.rcvd.reason) == (4401, True)
    dropped = registry.get_sample_value("tarsy_websocket_gateway_clients_dropped_total", {"reason": "expired"})
    assert dropped == 1


async def test_a_connection_is_closed_when_its_key_is_taken_away(
    url: str, taken_away: set[str | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "JUDGE_SECONDS", 0.05)
    async with asyncio.timeout(WAIT_SECONDS), connect(url, additional_headers=VIEWER) as client:
        assert "connection.established" in str(await client.recv())
        await client.send('{"action": "ping"}')
        assert "pong" in str(await client.recv())
        taken_away.add(VIEWER["Authorization"])
        with pytest.raises(ConnectionClosed) as closed:
            await client.recv()
    assert closed.value.rcvd is not None
    assert (closed.value.rcvd.code, "taken away" in closed.value.rcvd.reason) == (4401, True)


async def test_whoever_is_limited_to_groups_subscribes_to_their_sessions_only(url: str) -> None:
    async with asyncio.timeout(WAIT_SECONDS), connect(url, additional_headers=LIMITED) as client:
        assert "connection.established" in str(await client.recv())
        await client.send('{"action": "subscribe", "channel": "session:other-1"}')
        refused = json.loads(await client.recv())
        await client.send('{"action": "subscribe", "channel": "session:shop-1"}')
        confirmed = json.loads(await client.recv())
    assert (refused["type"], refused["code"]) == ("subscription.error", "unknown_session")
    assert (confirmed["type"], confirmed["channel"]) == ("subscription.confirmed", "session:shop-1")


async def test_the_list_of_whoever_is_limited_has_their_sessions_only(url: str, hub: Hub) -> None:
    async with asyncio.timeout(WAIT_SECONDS), connect(url, additional_headers=LIMITED) as client:
        assert "connection.established" in str(await client.recv())
        await client.send('{"action": "subscribe", "channel": "sessions"}')
        assert "subscription.confirmed" in str(await client.recv())
        for session_id in ("other-1", "shop-1", "other-1", "shop-2"):
            hub.publish(session_id, [Outgoing("session.status", session_id, 1, session_id=session_id)])
        assert [await client.recv(), await client.recv()] == ["shop-1", "shop-2"]


async def test_a_connection_is_closed_when_its_key_has_other_groups(
    url: str, regrouped: dict[str | None, VisibleGroups], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "JUDGE_SECONDS", 0.05)
    async with asyncio.timeout(WAIT_SECONDS), connect(url, additional_headers=LIMITED) as client:
        assert "connection.established" in str(await client.recv())
        regrouped[LIMITED["Authorization"]] = (SHOP, SessionGroup("more", {"cluster": ("eu-1",)}))
        with pytest.raises(ConnectionClosed) as closed:
            await client.recv()
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 4401
