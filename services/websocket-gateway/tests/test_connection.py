"""Real WebSockets on a real server; what is known of sessions is made up here."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from prometheus_client import CollectorRegistry
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tarsy_processes.ports import free_port
from tarsy_service.runner import run_services
from tarsy_service.service import Service
from tarsy_websocket_gateway.connection import Connection
from tarsy_websocket_gateway.history import History
from tarsy_websocket_gateway.hub import Client, Hub
from tarsy_websocket_gateway.messages import Outgoing
from tarsy_websocket_gateway.metrics import Metrics
from tarsy_websocket_gateway.routes import websocket_routes
from tarsy_websocket_gateway.streams import Call
from tarsy_websocket_gateway.timeline_api import HistoryUnavailableError

WAIT_SECONDS = 90.0
QUEUE = 20


class MadeUp:
    """No session has begun; the history of `gone` cannot be had, that of `slow` when it is released."""

    def __init__(self) -> None:
        self.release = asyncio.Event()

    def last_number(self, session_id: str) -> int:
        return 0

    def running(self, session_id: str) -> list[Call]:
        return []

    async def history(self, session_id: str, at_least: int) -> History:
        if session_id == "gone":
            raise HistoryUnavailableError("not now")
        if session_id == "slow":
            await self.release.wait()
        return History()


def stage_status(number: int, text: str = "") -> Outgoing:
    return Outgoing("stage.status", json.dumps({"type": "stage.status", "number": number, "text": text}), number)


class Gateway:
    def __init__(self) -> None:
        self.hub, self.sessions, self.registry = Hub(), MadeUp(), CollectorRegistry()
        self.port = free_port()
        self.url = f"ws://127.0.0.1:{self.port}/api/v1/ws"
        metrics = Metrics(self.registry)
        metrics.watch(subscriptions=self.hub.subscriptions, lag_seconds=lambda: 0.0)
        self.router = websocket_routes(
            self.hub,
            lambda websocket: Connection(websocket, Client(QUEUE), self.hub, self.sessions, metrics),
            ["https://tarsy.example"],
            metrics,
        )

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


async def ask(client: ClientConnection, **message: str) -> dict[str, Any]:
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

    assert answer == {"type": "subscription.error", "channel": "session:gone", "message": "not now"}
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


async def test_pages_of_strangers_may_not_connect(gateway: Gateway) -> None:
    for origin in ("https://tarsy.example", f"http://127.0.0.1:{gateway.port}", "http://localhost:5173"):
        async with connect(gateway.url, additional_headers={"Origin": origin}) as client:
            assert (await receive(client))["type"] == "connection.established"
    for origin in ("https://evil.example", "null", "http://["):
        with pytest.raises(InvalidStatus):
            await connect(gateway.url, additional_headers={"Origin": origin})
    assert gateway.metric("tarsy_websocket_gateway_clients_dropped_total", reason="origin") == 3
