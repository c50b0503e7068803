"""Real WebSockets on a real server; what is known of sessions is made up here."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest
from prometheus_client import CollectorRegistry
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tarsy_auth.session_groups import GroupLabels
from tarsy_contracts.api.visible_sessions import VisibleSessions
from tarsy_processes.ports import free_port
from tarsy_service.http import server as http_server
from tarsy_service.http.websocket_frames import frame_writer
from tarsy_service.process.runner import run_services
from tarsy_service.process.service import Service
from tarsy_testing.real_servers import eventually
from tarsy_websocket_gateway.clients.client import Client
from tarsy_websocket_gateway.clients.connection import Connection
from tarsy_websocket_gateway.clients.hub import Hub
from tarsy_websocket_gateway.clients.routes import ClientLimit, websocket_routes
from tarsy_websocket_gateway.errors import AlertJoinedError, HistoryUnavailableError, SessionNotFoundError
from tarsy_websocket_gateway.messages.history import History
from tarsy_websocket_gateway.messages.outgoing import Outgoing
from tarsy_websocket_gateway.messages.running_calls import Call
from tarsy_websocket_gateway.metrics import Metrics

WAIT_SECONDS = 90.0
QUEUE = 20
MOST_CLIENTS = 2
JOINED = {"joined": "told", "lost": "gone", "late": "slow"}


class MadeUp:
    """No session has begun but `told`, of two events; the history of `gone` cannot be had, that of `slow` when it is
    released, that of `crowded` at the third question. `unknown` is not known. The alert `joined` joined `told`, `lost`
    joined `gone`, and `late` joined `slow`.
    """

    def __init__(self) -> None:
        self.release = asyncio.Event()
        self.crowd = 3

    def watch(self, session_id: str) -> None:
        return

    async def follow_list(self) -> None:
        return

    async def visibility(self, session_ids: Sequence[str], groups: GroupLabels) -> VisibleSessions:
        return VisibleSessions(visible=tuple(session_ids), hidden=())

    def list_running_calls(self, session_id: str) -> list[Call]:
        return []

    async def history(self, session_id: str) -> History:
        if session_id == "unknown":
            raise SessionNotFoundError("never heard of it")
        if session_id in JOINED:
            raise AlertJoinedError(JOINED[session_id])
        if session_id == "told":
            return History(3, (stage_status(1), stage_status(2), stage_status(3)))
        if session_id == "gone":
            raise HistoryUnavailableError("not now")
        if session_id == "crowded":
            self.crowd -= 1
            if self.crowd:
                raise HistoryUnavailableError("not now")
        if session_id == "slow":
            await self.release.wait()
        return History()


def stage_status(number: int, text: str = "") -> Outgoing:
    return Outgoing("stage.status", json.dumps({"type": "stage.status", "number": number, "text": text}), number)


class Gateway:
    patience_seconds = 0.0

    def __init__(self) -> None:
        self.hub, self.sessions, self.registry = Hub(), MadeUp(), CollectorRegistry()
        self.port = free_port()
        self.url = f"ws://127.0.0.1:{self.port}/api/v1/ws"
        metrics = Metrics(self.registry)
        metrics.watch(subscriptions=self.hub.subscriptions, lag_seconds=lambda: 0.0, partitions=lambda: 0)
        self.router = websocket_routes(
            self.hub,
            lambda websocket: Connection(
                websocket, Client(frame_writer(websocket), QUEUE, sent=metrics.sent.inc), self.hub, self.sessions,
                metrics, time.time, self.patience_seconds,
            ),
            metrics,
            ClientLimit(MOST_CLIENTS),
        )  # fmt: skip

    @asynccontextmanager
    async def running(self) -> AsyncIterator["Gateway"]:
        stop, started = asyncio.Event(), asyncio.Event()

        async def run(ready: Callable[[], None]) -> None:
            ready()
            await asyncio.Event().wait()

        service = Service(name="gateway", run=run, router=self.router)
        async with asyncio.TaskGroup() as group:
            group.create_task(
                run_services(
                    [service], host="127.0.0.1", port=self.port, registry=self.registry, shutdown_seconds=1,
                    on_ready=started.set, stop=stop,
                )
            )  # fmt: skip
            async with asyncio.timeout(WAIT_SECONDS):
                await started.wait()
            yield self
            stop.set()

    def metric(self, name: str, **labels: str) -> float | None:
        return self.registry.get_sample_value(name, labels)


@pytest.fixture
async def gateway() -> AsyncIterator[Gateway]:
    gateway = Gateway()
    gateway.hub.open = True
    async with gateway.running():
        yield gateway


async def ask(client: ClientConnection, **message: str | int) -> dict[str, Any]:
    await client.send(json.dumps(message))
    return await receive(client)


async def read_to_the_end(client: ClientConnection) -> None:
    async with asyncio.timeout(WAIT_SECONDS):
        while True:
            await client.recv()


async def receive(client: ClientConnection) -> dict[str, Any]:
    async with asyncio.timeout(WAIT_SECONDS):
        message: dict[str, Any] = json.loads(await client.recv())
    return message


async def test_a_client_is_greeted_and_its_mistakes_are_answered(gateway: Gateway) -> None:
    async with connect(gateway.url) as client:
        hello = await receive(client)
        assert (hello["type"], bool(hello["connection_id"])) == ("connection.established", True)
        assert await ask(client, action="ping") == {"type": "pong"}
        assert await ask(client, action="subscribe", channel="sessions") == {
            "type": "subscription.confirmed",
            "channel": "sessions",
        }
        wrong = [
            {"action": "dance"}, {"action": "subscribe"}, {"action": "subscribe", "channel": "session:../x"}, {},
            {"action": "subscribe", "channel": "x" * 5_000},
        ]  # fmt: skip
        for message in wrong:
            answer = await ask(client, **message)
            assert (answer["type"], bool(answer["message"])) == ("error", True)
        await client.send("{")
        assert (await receive(client))["type"] == "error"
        await client.send(b"\x00")
        assert (await receive(client))["type"] == "error"
        assert gateway.metric("tarsy_websocket_gateway_connections") == 1
        assert gateway.metric("tarsy_websocket_gateway_subscriptions") == 1
        assert (gateway.metric("tarsy_websocket_gateway_messages_sent_total") or 0) >= 9


async def test_without_a_history_there_is_no_half_subscription(gateway: Gateway) -> None:
    async with connect(gateway.url) as client:
        await receive(client)
        answer = await ask(client, action="subscribe", channel="session:gone")
        gateway.hub.publish("gone", [stage_status(1)])
        after = await ask(client, action="ping")

    failed = {"type": "subscription.error", "channel": "session:gone", "message": "not now", "code": "unavailable"}
    assert answer == failed
    assert after == {"type": "pong"}


async def test_who_unsubscribes_while_the_history_is_on_its_way_gets_nothing(gateway: Gateway) -> None:
    async with connect(gateway.url) as client:
        await receive(client)
        await client.send(json.dumps({"action": "subscribe", "channel": "session:slow"}))
        await client.send(json.dumps({"action": "unsubscribe", "channel": "session:slow"}))
        assert await ask(client, action="ping") == {"type": "pong"}
        gateway.sessions.release.set()
        gateway.hub.publish("slow", [stage_status(1)])
        assert await ask(client, action="ping") == {"type": "pong"}


async def test_a_slow_client_is_dropped_and_others_go_on(gateway: Gateway) -> None:
    async with connect(gateway.url, max_queue=1) as slow, connect(gateway.url) as quick:
        for client in (slow, quick):
            await receive(client)
            await ask(client, action="subscribe", channel="session:s")
        text = "x" * 500_000
        number = 0
        async with asyncio.timeout(WAIT_SECONDS):
            while not gateway.metric("tarsy_websocket_gateway_clients_dropped_total", reason="too_slow"):
                number += 1
                gateway.hub.publish("s", [stage_status(number, text)])
                assert (await receive(quick))["number"] == number
        gateway.hub.publish("s", [stage_status(number + 1)])
        assert (await receive(quick))["number"] == number + 1
        assert number > QUEUE

        with pytest.raises(ConnectionClosed) as closed:
            await read_to_the_end(slow)
        assert closed.value.rcvd is not None
        assert (closed.value.rcvd.code, closed.value.rcvd.reason) == (1013, "too slow: connect and subscribe again")
        assert await ask(quick, action="ping") == {"type": "pong"}


async def test_before_the_log_was_read_clients_are_told_to_come_again() -> None:
    async with Gateway().running() as gateway, connect(gateway.url) as client:
        with pytest.raises(ConnectionClosed) as closed:
            await client.recv()
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1013
    assert gateway.metric("tarsy_websocket_gateway_clients_dropped_total", reason="starting") == 1


async def test_a_session_that_nobody_knows_is_an_error(gateway: Gateway) -> None:
    async with connect(gateway.url) as client:
        await receive(client)
        answer = await ask(client, action="subscribe", channel="session:unknown")
        gateway.hub.publish("unknown", [stage_status(1)])

        assert (answer["type"], answer["code"]) == ("subscription.error", "unknown_session")
        assert await ask(client, action="ping") == {"type": "pong"}


async def test_an_alert_that_joined_a_session_is_followed_there(gateway: Gateway) -> None:
    async with connect(gateway.url) as client:
        await receive(client)
        confirmed = await ask(client, action="subscribe", channel="session:joined")
        assert confirmed == {
            "type": "subscription.confirmed", "channel": "session:joined", "session_id": "told",
        }  # fmt: skip
        assert [(await receive(client))["number"] for _ in range(3)] == [1, 2, 3]
        gateway.hub.publish("told", [stage_status(4)])
        assert (await receive(client))["number"] == 4
        assert (await ask(client, action="catchup", channel="session:joined", last_event_id=3))["number"] == 3
        await client.send(json.dumps({"action": "unsubscribe", "channel": "session:joined"}))
        assert await ask(client, action="ping") == {"type": "pong"}
        gateway.hub.publish("told", [stage_status(5)])
        assert await ask(client, action="ping") == {"type": "pong"}
        assert gateway.hub.subscriptions() == 0


async def test_a_session_that_is_followed_by_two_ids_is_left_with_the_second(gateway: Gateway) -> None:
    async with connect(gateway.url) as client:
        await receive(client)
        for channel in ("session:told", "session:joined"):
            await ask(client, action="subscribe", channel=channel)
            assert [(await receive(client))["number"] for _ in range(3)] == [1, 2, 3]
        await client.send(json.dumps({"action": "unsubscribe", "channel": "session:told"}))
        assert await ask(client, action="ping") == {"type": "pong"}
        gateway.hub.publish("told", [stage_status(4)])
        assert (await receive(client))["number"] == 4
        await client.send(json.dumps({"action": "unsubscribe", "channel": "session:joined"}))
        assert await ask(client, action="ping") == {"type": "pong"}
        assert gateway.hub.subscriptions() == 0


async def test_an_alert_whose_session_cannot_be_read_has_no_subscription(gateway: Gateway) -> None:
    async with connect(gateway.url) as client:
        await receive(client)
        answer = await ask(client, action="subscribe", channel="session:lost")
        assert (answer["type"], answer["channel"], answer["code"]) == (
            "subscription.error", "session:lost", "unavailable",
        )  # fmt: skip
        assert gateway.hub.subscriptions() == 0


async def test_who_resumes_gets_what_came_from_its_last_event_on(gateway: Gateway) -> None:
    """The connection may have been lost between two messages of that event. The last one ends every history."""
    async with connect(gateway.url) as client:
        await receive(client)
        confirmed = await ask(client, action="subscribe", channel="session:told", last_event_id=2)
        assert confirmed["type"] == "subscription.confirmed"
        assert [(await receive(client))["number"] for _ in range(2)] == [2, 3]
        gateway.hub.publish("told", [stage_status(3), stage_status(4)])
        assert (await receive(client))["number"] == 4


async def test_catchup_tells_again_from_a_position(gateway: Gateway) -> None:
    async with connect(gateway.url) as client:
        await receive(client)
        channel = "session:told"
        assert (await ask(client, action="catchup", channel=channel, last_event_id=0))["type"] == "error"
        await ask(client, action="subscribe", channel=channel, last_event_id=9)
        assert (await receive(client))["number"] == 3
        assert (await ask(client, action="catchup", channel=channel))["type"] == "error"
        assert (await ask(client, action="catchup", channel=channel, last_event_id=0))["number"] == 1
        assert [(await receive(client))["number"] for _ in range(2)] == [2, 3]
        gateway.hub.publish("told", [stage_status(4)])
        assert (await receive(client))["number"] == 4
        assert gateway.hub.subscriptions() == 1


async def test_a_catchup_that_overtakes_the_history_leaves_the_subscription_confirmed(gateway: Gateway) -> None:
    """Clients of Go TARSy send both at once when they are back."""
    async with connect(gateway.url) as client:
        await receive(client)
        await client.send(json.dumps({"action": "subscribe", "channel": "session:slow"}))
        await client.send(json.dumps({"action": "catchup", "channel": "session:slow", "last_event_id": 7}))
        assert await ask(client, action="ping") == {"type": "pong"}
        gateway.sessions.release.set()
        assert await receive(client) == {"type": "subscription.confirmed", "channel": "session:slow"}
        assert await ask(client, action="ping") == {"type": "pong"}


async def test_two_ids_of_a_session_are_both_confirmed_though_one_came_while_the_other_waited(gateway: Gateway) -> None:
    async with connect(gateway.url) as client:
        await receive(client)
        for channel in ("session:slow", "session:late"):
            await client.send(json.dumps({"action": "subscribe", "channel": channel}))
        assert await ask(client, action="ping") == {"type": "pong"}
        gateway.sessions.release.set()
        assert [await receive(client) for _ in range(2)] == [
            {"type": "subscription.confirmed", "channel": "session:slow"},
            {"type": "subscription.confirmed", "channel": "session:late", "session_id": "slow"},
        ]


async def test_catchup_of_the_list_has_nothing_to_tell(gateway: Gateway) -> None:
    async with connect(gateway.url) as client:
        await receive(client)
        await ask(client, action="subscribe", channel="sessions")
        await client.send(json.dumps({"action": "catchup", "channel": "sessions", "last_event_id": 1}))
        assert await ask(client, action="ping") == {"type": "pong"}


async def test_a_client_that_does_not_answer_is_dead(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its connection may stay open for hours without a word."""
    monkeypatch.setattr(http_server, "PING_SECONDS", 0.05)
    monkeypatch.setattr(http_server, "PONG_SECONDS", 0.05)
    gateway = Gateway()
    gateway.hub.open = True
    async with gateway.running(), asyncio.timeout(WAIT_SECONDS):
        reader, writer = await asyncio.open_connection("127.0.0.1", gateway.port)
        key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13"
        upgrade = f"Host: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n{key}"
        writer.write(f"GET /api/v1/ws HTTP/1.1\r\n{upgrade}\r\n\r\n".encode())
        said = await reader.read()
        writer.close()
        assert b"keepalive ping timeout" in said
        await eventually(lambda: no_client(gateway), "the client has gone")


async def test_an_instance_takes_so_many_clients_and_refuses_others_before_the_handshake(gateway: Gateway) -> None:
    async with connect(gateway.url), connect(gateway.url):
        with pytest.raises(InvalidStatus) as refused:
            await connect(gateway.url)
        assert refused.value.response.status_code == 503
        assert b"TARSY_MOST_CLIENTS" in (refused.value.response.body or b"")
        assert gateway.metric("tarsy_websocket_gateway_connections") == MOST_CLIENTS
        assert gateway.metric("tarsy_websocket_gateway_clients_dropped_total", reason="full") == 1
    await eventually(lambda: no_client(gateway), "the clients have gone")
    async with connect(gateway.url) as client:
        assert (await receive(client))["type"] == "connection.established"


async def no_client(gateway: Gateway) -> bool:
    return gateway.metric("tarsy_websocket_gateway_connections") == 0


async def test_who_cannot_be_let_in_in_time_is_told_so_and_gets_in_by_itself(
    gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tarsy_websocket_gateway.clients.connection.FIRST_TRY_SECONDS", 0.01)
    gateway.patience_seconds = WAIT_SECONDS
    async with connect(gateway.url) as client:
        await receive(client)
        first = await ask(client, action="subscribe", channel="session:crowded")
        types = [first["type"], (await receive(client))["type"], (await receive(client))["type"]]
    assert types == ["subscription.delayed", "subscription.delayed", "subscription.confirmed"]


async def test_who_leaves_while_it_waits_is_not_let_in(gateway: Gateway, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tarsy_websocket_gateway.clients.connection.FIRST_TRY_SECONDS", 0.01)
    gateway.patience_seconds = WAIT_SECONDS
    async with connect(gateway.url) as client:
        await receive(client)
        assert (await ask(client, action="subscribe", channel="session:gone"))["type"] == "subscription.delayed"
        await client.send(json.dumps({"action": "unsubscribe", "channel": "session:gone"}))
        await client.send(json.dumps({"action": "ping"}))
        while (await receive(client))["type"] != "pong":
            pass
        assert gateway.hub.subscriptions() == 0
