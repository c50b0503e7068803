"""Whoever is slow, large or broken costs itself. On real sockets, with limits that a test can wait for."""

import asyncio
import logging
import resource
import socket
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

import pytest
from fastapi import FastAPI, Request, WebSocket

from tarsy_processes.ports import free_port
from tarsy_service.http.bounded_http import HttpLimits, Traffic
from tarsy_service.http.problem_handlers import install_problem_handlers
from tarsy_service.http.server import http_server
from tarsy_service.http.websocket_frames import text_frame
from tarsy_testing.real_servers import eventually

HOST = "127.0.0.1"
PATIENT = HttpLimits(head_seconds=300, body_seconds=300)
"""For tests of what is not about time."""
LIMIT_SECONDS = 60.0
MANY = 1_500
HANDSHAKE = (
    b"GET /echo HTTP/1.1\r\nhost: x\r\nupgrade: websocket\r\nconnection: upgrade\r\n"
    b"sec-websocket-version: 13\r\nsec-websocket-key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n"
)
STILL_HERE = b"\x81\x8a\0\0\0\0still here"
"""Frame of a client, with a mask of zeros."""

type Stream = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@dataclass
class Served:
    port: int
    traffic: Traffic
    refused: Counter[str] = field(default_factory=Counter)

    async def send(self, data: bytes) -> Stream:
        """Before the server, which lives in this process, sees the connection: no pause of the machine lies between."""
        client = socket.create_connection((HOST, self.port), LIMIT_SECONDS)
        client.sendall(data)
        client.setblocking(False)
        return await asyncio.open_connection(sock=client)

    async def is_served(self) -> bool:
        """Somebody who sends all at once."""
        stream = await self.send(post(2_000, b"x" * 2_000, "connection: close"))
        head, _, body = (await end_of(stream)).partition(b"\r\n\r\n")
        return head.startswith(b"HTTP/1.1 200 ") and body == b"2000"


def app() -> FastAPI:
    app = FastAPI()
    install_problem_handlers(app)

    @app.post("/size")
    async def size(request: Request) -> int:
        return len(await request.body())

    @app.websocket("/echo")
    async def echo(client: WebSocket) -> None:
        await client.accept()
        while True:
            await client.send_text(await client.receive_text())

    return app


@asynccontextmanager
async def serving(limits: HttpLimits) -> AsyncIterator[Served]:
    port, refused = free_port(), Counter[str]()
    async with http_server(app(), HOST, port, limits=limits, count=lambda why: refused.update([why])) as traffic:
        yield Served(port, traffic, refused)


def post(declared: int, body: bytes = b"", *headers: str) -> bytes:
    head = ["POST /size HTTP/1.1", "host: x", f"content-length: {declared}", *headers]
    return "\r\n".join([*head, "", ""]).encode() + body


async def end_of(stream: Stream) -> bytes:
    """All that the server said until it closed the connection."""
    try:
        async with asyncio.timeout(LIMIT_SECONDS):
            return await stream[0].read()
    except ConnectionResetError:
        return b""
    finally:
        stream[1].close()


@pytest.fixture
def many_files() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8_192), hard))


async def test_fifteen_hundred_unfinished_requests_are_ended_and_others_served_meanwhile(many_files: None) -> None:
    async with serving(HttpLimits(body_seconds=3, head_seconds=300)) as served:
        slow = [await served.send(post(2_000, b"x" * 1_000)) for _ in range(MANY)]
        assert await served.is_served()
        answers = await asyncio.gather(*(end_of(one) for one in slow))

        assert {answer.partition(b"\r\n")[0] for answer in answers} == {b"HTTP/1.1 408 Request Timeout"}
        assert served.refused == {"slow_body": MANY}
        await eventually(lambda: _is(served.traffic.connections == 0), "no connection is left")
        # Each body is held until the application has ended its answer.
        await eventually(lambda: _is(served.traffic.bytes_in_flight == 0), "no body is left")


@pytest.mark.parametrize("sent", [b"", b"POST /si", b"\r\n"])
async def test_a_head_that_does_not_come_ends_the_connection(sent: bytes) -> None:
    async with serving(HttpLimits(head_seconds=0.5)) as served:
        answer = await end_of(await served.send(sent))

        assert answer.startswith(b"HTTP/1.1 408")
        assert await served.is_served()


async def test_a_second_head_that_does_not_come_ends_the_connection() -> None:
    async with serving(HttpLimits(head_seconds=0.5)) as served:
        answer = await end_of(await served.send(post(1, b"x") + b"POST /si"))

        assert answer.count(b"HTTP/1.1 200") == 1
        assert answer.endswith(b"connection: close\r\n\r\n")


async def test_a_head_without_end_is_refused() -> None:
    async with serving(PATIENT) as served:
        stream = await served.send(b"GET / HTTP/1.1\r\n")
        reading = asyncio.create_task(end_of(stream))
        while not reading.done():
            stream[1].write(b"x: " + b"y" * 10_000 + b"\r\n")
            await asyncio.sleep(0)

        assert served.refused == {"large_head": 1}


async def test_bodies_are_bounded_together_and_the_longest_under_way_make_room() -> None:
    limits = replace(PATIENT, bodies_bytes=1_000_000)
    async with serving(limits) as served:
        slow = [await served.send(post(2_000_000, b"x" * 300_000)) for _ in range(3)]
        await eventually(lambda: _is(served.traffic.bytes_in_flight == 900_000), "three bodies are held")
        fourth = await served.send(post(2_000_000, b"x" * 300_000))
        first = await end_of(slow[0])

        assert first.startswith(b"HTTP/1.1 503")
        assert b"retry-after: " in first
        await eventually(lambda: _is(served.traffic.bytes_in_flight == 900_000), "the fourth has the room of the first")
        assert await served.is_served()
        for _, writer in (*slow[1:], fourth):
            writer.close()
        await eventually(lambda: _is(served.traffic.bytes_in_flight == 0), "what broke off is nobody's any more")
        assert served.refused == {"bodies": 1, "broken_off": 3}


async def test_silent_connections_make_room_for_new_ones() -> None:
    async with serving(replace(PATIENT, connections=5)) as served:
        silent = [await served.send(b"") for _ in range(10)]
        ended = await asyncio.gather(*(end_of(one) for one in silent[:5]))

        assert all(answer.startswith(b"HTTP/1.1 503") for answer in ended)
        assert await served.is_served()
        for _, writer in silent:
            writer.close()


async def test_a_socket_outlives_all_limits_of_requests() -> None:
    async with serving(HttpLimits(head_seconds=0.5, body_seconds=0.5)) as served, asyncio.timeout(LIMIT_SECONDS):
        reader, writer = await served.send(HANDSHAKE)
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 101 ")
        # Begun later, and over: the time of the socket was up as well.
        for unfinished in (b"POST", post(2_000, b"x")):
            assert (await end_of(await served.send(unfinished))).startswith(b"HTTP/1.1 408")
        writer.write(STILL_HERE)
        assert await reader.readexactly(len(text_frame("still here"))) == text_frame("still here")
        await eventually(lambda: _is(served.traffic.connections == 0), "the socket counts as no connection")
        writer.transport.abort()


async def test_a_client_that_breaks_off_is_no_error(caplog: pytest.LogCaptureFixture) -> None:
    async with serving(PATIENT) as served:
        _, writer = await served.send(post(2_000, b"x" * 1_000))
        await eventually(lambda: _is(served.traffic.bytes_in_flight == 1_000), "it is under way")
        writer.close()
        await eventually(lambda: _is(served.refused == {"broken_off": 1}), "it is counted")
        await eventually(lambda: _is(served.traffic.bytes_in_flight == 0), "its body is gone")

    assert [one.getMessage() for one in caplog.records if one.levelno >= logging.WARNING] == []


async def _is(true: bool) -> bool:
    return true
