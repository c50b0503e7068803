"""A WebSocket through the front door, over real sockets."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.http11 import Request
from websockets.server import ServerProtocol
from websockets.typing import Origin, Subprotocol

sys.path.append(str(Path(__file__).parent))

from door_running import LARGE_MESSAGES, Behind, door, raw_service, service

from tarsy_processes.ports import free_port
from tarsy_testing.real_servers import eventually

WS = "/api/v1/ws"


class Talker:
    """A service that says who called, and then says everything again."""

    def __init__(self) -> None:
        self.ended: list[tuple[int, str]] = []
        self.app = Starlette(routes=[WebSocketRoute(WS, self._talk)])

    async def _talk(self, socket: WebSocket) -> None:
        if socket.headers.get("origin") == "https://evil.example":
            await socket.close(1008)
            return
        if socket.headers.get("authorization") == "Bearer wrong":
            refusal = Response("{}", 401, {"www-authenticate": "Bearer", "content-type": "application/problem+json"})
            await socket.send_denial_response(refusal)
            return
        await socket.accept(subprotocol=next(iter(socket.scope["subprotocols"]), None))
        await socket.send_json({name: socket.headers.get(name) for name in ("host", "x-forwarded-for", "traceparent")})
        while True:
            message = await socket.receive()
            if message["type"] == "websocket.disconnect":
                self.ended.append((message["code"], message.get("reason") or ""))
                return
            text = message.get("text")
            if text is not None and text.startswith("close"):
                await socket.close(int(text.split()[1]), "as you said")
                return
            await (socket.send_bytes(message["bytes"]) if text is None else socket.send_text(text))


@asynccontextmanager
async def talking(talker: Talker) -> AsyncIterator[str]:
    async with (
        service(talker.app) as port,
        door(Behind({"websocket-gateway": [free_port(), port]}), limits=LARGE_MESSAGES) as address,
    ):
        yield f"ws://{address}{WS}"


async def closed(socket: ClientConnection) -> tuple[int | None, str | None]:
    with pytest.raises(ConnectionClosed):
        async with asyncio.timeout(90):
            await socket.recv()
    return socket.close_code, socket.close_reason


async def test_text_and_bytes_go_both_ways_in_order() -> None:
    """The first instance refuses, and is passed over."""
    async with talking(Talker()) as url, connect(url, max_size=None) as socket:
        await socket.recv()
        sent: list[str | bytes] = ["eins", b"\x00\xff", "x" * 3_000_000, "", b""]
        for message in sent:
            await socket.send(message)
        assert [await socket.recv() for _ in sent] == sent


async def test_the_instance_hears_under_which_name_the_client_called() -> None:
    headers = {"traceparent": "00-1-2-01"}
    async with talking(Talker()) as url:
        host, port = url.removeprefix("ws://").removesuffix(WS).split(":")
        async with connect(
            f"ws://tarsy.example{WS}",
            host=host,
            port=int(port),
            additional_headers=headers,
            subprotocols=[Subprotocol("a")],
        ) as socket:
            assert socket.subprotocol == "a"
            told = await socket.recv()
    assert told == '{"host":"tarsy.example","x-forwarded-for":"127.0.0.1","traceparent":"00-1-2-01"}'


@pytest.mark.parametrize("code", [1000, 1001, 1008, 1013, 4000])
async def test_the_words_with_which_the_instance_ends_reach_the_client(code: int) -> None:
    async with talking(Talker()) as url, connect(url) as socket:
        await socket.recv()
        await socket.send(f"close {code}")
        assert await closed(socket) == (code, "as you said")


async def test_the_words_with_which_the_client_ends_reach_the_instance() -> None:
    talker = Talker()

    async def ended() -> bool:
        return bool(talker.ended)

    async with talking(talker) as url:
        async with connect(url) as socket:
            await socket.recv()
            await socket.close(4001, "enough")
        await eventually(ended, "the instance knows")
    assert talker.ended == [(4001, "enough")]


async def test_a_client_that_was_cut_off_is_gone_for_the_instance_too() -> None:
    talker = Talker()

    async def ended() -> bool:
        return bool(talker.ended)

    async with talking(talker) as url:
        socket = await connect(url)
        await socket.recv()
        socket.transport.abort()
        await eventually(ended, "the instance knows")
        await socket.close()


async def test_an_instance_that_was_killed_leaves_a_client_that_knows_to_come_back() -> None:
    async def killed(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        protocol = ServerProtocol()
        protocol.receive_data(await reader.readuntil(b"\r\n\r\n"))
        (request,) = protocol.events_received()
        assert isinstance(request, Request)
        protocol.send_response(protocol.accept(request))
        protocol.send_text(b"half of what")
        writer.write(b"".join(protocol.data_to_send()))
        await writer.drain()

    async with (
        raw_service(killed) as port,
        door(Behind({"websocket-gateway": [port]})) as address,
        connect(f"ws://{address}{WS}") as socket,
    ):
        assert await socket.recv() == "half of what"
        code, reason = await closed(socket)
    assert code == 1012
    assert "connect again" in str(reason)


async def test_an_instance_that_lets_a_page_not_in_is_obeyed() -> None:
    async with talking(Talker()) as url:
        with pytest.raises(InvalidStatus) as refused:
            await connect(url, origin=Origin("https://evil.example"))
    assert refused.value.response.status_code == 403


async def test_where_nobody_comes_the_client_is_told_when_to_ask_again() -> None:
    async with door(Behind(), wait_seconds=0.2) as address:
        with pytest.raises(InvalidStatus) as refused:
            await connect(f"ws://{address}{WS}")
    assert refused.value.response.status_code == 503
    assert refused.value.response.headers["retry-after"]


async def test_no_other_address_takes_a_socket() -> None:
    async with (
        service(Talker().app) as port,
        door(Behind({"timeline": [port], "websocket-gateway": [port]})) as address,
    ):
        for path in ("/api/v1/sessions", "/internal/v1/ws", "/ws", f"{WS}/more"):
            with pytest.raises(InvalidStatus) as refused:
                await connect(f"ws://{address}{path}")
            assert refused.value.response.status_code == 404


async def test_whoever_is_not_known_to_the_instance_reads_its_refusal() -> None:
    async with talking(Talker()) as url:
        with pytest.raises(InvalidStatus) as refused:
            await connect(url, additional_headers={"Authorization": "Bearer wrong"})
    response = refused.value.response
    told = [response.headers[name] for name in ("www-authenticate", "content-type")]
    assert (response.status_code, told) == (401, ["Bearer", "application/problem+json"])
