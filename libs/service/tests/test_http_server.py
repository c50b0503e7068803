"""A server that rests wakes once a second, and ends as soon as it is told to."""

import asyncio
import socket
from datetime import datetime
from email.utils import parsedate_to_datetime

import httpx2
import pytest
from fastapi import FastAPI, WebSocket

from tarsy_processes.ports import free_port
from tarsy_service.http import server as http_server
from tarsy_service.http.websocket_frames import frame_writer, text_frame
from tarsy_testing.real_servers import eventually

HOST = "127.0.0.1"
LIMIT_SECONDS = 60.0
MEBIBYTE = text_frame("x" * 1024**2)
SOCKETS_HOLD = 512
"""More mebibytes than the sockets of both sides take before anybody reads, whatever the kernel grants them."""


@pytest.fixture
def port() -> int:
    return free_port()


def has_ipv6() -> bool:
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        return False
    return True


async def test_the_date_of_an_answer_moves_on(port: int) -> None:
    async with http_server.http_server(FastAPI(), HOST, port), httpx2.AsyncClient(timeout=LIMIT_SECONDS) as client:

        async def date() -> datetime:
            return parsedate_to_datetime((await client.get(f"http://{HOST}:{port}/")).headers["date"])

        first = await date()

        async def moved_on() -> bool:
            return await date() > first

        await eventually(moved_on, "a later date")


async def test_it_ends_without_a_wait_for_its_next_look(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_server, "DATE_SECONDS", 3_600.0)

    async with asyncio.timeout(LIMIT_SECONDS):
        async with http_server.http_server(FastAPI(), HOST, port), httpx2.AsyncClient(timeout=LIMIT_SECONDS) as client:
            await client.get(f"http://{HOST}:{port}/")


@pytest.mark.parametrize(
    ("host", "addresses"), [("::1", ["[::1]"]), ("::", ["[::1]", "127.0.0.1"]), ("127.0.0.1", ["127.0.0.1"])]
)
async def test_it_answers_at_addresses_of_ipv6_and_at_all_of_the_machine(
    port: int, host: str, addresses: list[str]
) -> None:
    if ":" in host and not has_ipv6():
        pytest.skip("this machine has no IPv6")
    async with http_server.http_server(FastAPI(), host, port), httpx2.AsyncClient(timeout=LIMIT_SECONDS) as client:
        for address in addresses:
            assert (await client.get(f"http://{address}:{port}/")).status_code == 404


UPGRADE = (
    b"GET /ws HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n"
)
CLOSE = b"\x88\x80\0\0\0\0"
"""Frame of a client: it closes, and says nothing more."""


async def test_it_ends_beside_a_client_that_closes_and_reads_nothing_any_more(port: int) -> None:
    closed = asyncio.Event()
    app = FastAPI()

    @app.websocket("/ws")
    async def flood(client: WebSocket) -> None:
        await client.accept()
        sending = asyncio.create_task(client.send_bytes(bytes(32 * 1024 * 1024)))
        assert (await client.receive())["type"] == "websocket.disconnect"
        closed.set()
        sending.cancel()

    async with http_server.http_server(app, "127.0.0.1", port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1024)
        writer.write(UPGRADE)
        await reader.readuntil(b"\r\n\r\n")
        writer.write(CLOSE)
        async with asyncio.timeout(60):
            await closed.wait()
    writer.transport.abort()


async def test_frames_are_refused_room_once_a_client_reads_no_more(port: int) -> None:
    """`writelines` of asyncio keeps what the socket does not take, and stops nobody: gigabytes for one client, once."""
    app, written = FastAPI(), asyncio.get_running_loop().create_future()

    @app.websocket("/ws")
    async def flood(client: WebSocket) -> None:
        await client.accept()
        writer, count = frame_writer(client), 0
        while writer.is_writable and count < SOCKETS_HOLD:
            writer.write_frames([MEBIBYTE])
            count += 1
        written.set_result(count)
        await client.receive()

    async with http_server.http_server(app, HOST, port):
        _, writer = await asyncio.open_connection(HOST, port, limit=1024)
        writer.write(UPGRADE)
        async with asyncio.timeout(LIMIT_SECONDS):
            assert 0 < await written < SOCKETS_HOLD
        writer.transport.abort()


def handshake(*headers: bytes, method: bytes = b"GET") -> bytes:
    return UPGRADE.removesuffix(b"\r\n").replace(b"GET", method) + b"".join(one + b"\r\n" for one in headers) + b"\r\n"


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (handshake(b"Content-Length: 7") + b'{"a":1}', 400),
        (handshake(b"Transfer-Encoding: chunked") + b"0\r\n\r\n", 400),
        (handshake(b"Content-Length: 7", method=b"POST") + b'{"a":1}', 400),
        (handshake(b"X-Long: " + b"a" * 9_000), 431),
        (handshake(*(b"X-%d: a" % number for number in range(200))), 431),
        (UPGRADE.replace(b"/ws", b"/" + b"w" * 9_000), 414),
    ],
    ids=["a body", "chunks", "a write", "a long header", "many headers", "a long address"],
)
async def test_a_handshake_that_nobody_understands_is_answered_and_its_connection_ends(
    port: int, sent: bytes, status: int
) -> None:
    """Such a connection stayed for ever once, beyond all limits, and the stop of the whole service failed beside it."""
    async with http_server.http_server(FastAPI(), HOST, port):
        reader, writer = await asyncio.open_connection(HOST, port)
        writer.write(sent)
        async with asyncio.timeout(LIMIT_SECONDS):
            answer = await reader.read()
        assert int(answer.split(b" ", 2)[1]) == status
    writer.close()
