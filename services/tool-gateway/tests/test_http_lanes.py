"""Connections of our own counting: when one is used again, when another is opened, when one is closed. Real sockets."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx2
import pytest

from tarsy_testing import eventually
from tarsy_tool_gateway.http_lanes import Lanes

SECONDS = 10.0
HEAD = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n"


class Server:
    """Says "ok" to whatever is asked, once `go` is set. `open` counts the connections that are open, `met` all."""

    def __init__(self) -> None:
        self.go = asyncio.Event()
        self.go.set()
        self.met = 0
        self.open = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.met += 1
        self.open += 1
        try:
            while await reader.readuntil(b"\r\n\r\n"):
                await self.go.wait()
                writer.write(HEAD + b"ok")
        except asyncio.IncompleteReadError:
            pass
        finally:
            self.open -= 1
            writer.close()


@asynccontextmanager
async def asked(*, most: int = 10, idle_seconds: float = 60.0) -> AsyncIterator[tuple[httpx2.AsyncClient, Server]]:
    server = Server()
    listening = await asyncio.start_server(server.serve, "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    lanes = Lanes(_lane, most=most, idle_seconds=idle_seconds)
    timeout = httpx2.Timeout(SECONDS, pool=0.05)
    async with httpx2.AsyncClient(transport=lanes, base_url=f"http://127.0.0.1:{port}", timeout=timeout) as client:
        try:
            yield client, server
        finally:
            listening.close()


def _lane() -> httpx2.AsyncBaseTransport:
    limits = httpx2.Limits(max_connections=1, max_keepalive_connections=1)
    return httpx2.AsyncHTTPTransport(verify=False, trust_env=False, limits=limits)


async def test_one_request_after_the_other_takes_the_same_connection() -> None:
    async with asked() as (client, server):
        assert [(await client.get("/")).text for _ in range(3)] == ["ok"] * 3
    assert server.met == 1


async def test_requests_at_once_have_a_connection_each() -> None:
    async with asked() as (client, server):
        await asyncio.gather(*(client.get("/") for _ in range(5)))
        assert server.met == 5


async def test_one_too_many_waits_for_a_place_and_then_is_told_that_there_is_none() -> None:
    async with asked(most=2) as (client, server):
        server.go.clear()
        running = [asyncio.create_task(client.get("/")) for _ in range(2)]
        await eventually(lambda: _is(server.met == 2), "two requests")
        with pytest.raises(httpx2.PoolTimeout):
            await client.get("/")
        server.go.set()
        assert [answer.text for answer in await asyncio.gather(*running)] == ["ok", "ok"]
        assert (await client.get("/")).text == "ok"


async def test_whoever_gives_up_leaves_its_place_to_others() -> None:
    async with asked(most=1) as (client, server):
        server.go.clear()
        given_up = asyncio.create_task(client.get("/"))
        await eventually(lambda: _is(server.met == 1), "a request")
        given_up.cancel()
        await asyncio.wait([given_up])
        server.go.set()
        assert (await client.get("/")).text == "ok"


async def test_a_connection_that_nobody_needed_is_closed_at_the_next_request() -> None:
    async with asked(idle_seconds=0.05) as (client, server):
        await asyncio.gather(client.get("/"), client.get("/"))
        await asyncio.sleep(0.1)
        await client.get("/")
        await eventually(lambda: _is(server.open == 1), "the others are closed")


async def test_a_server_that_is_not_there_costs_no_place() -> None:
    lanes = Lanes(_lane, most=1, idle_seconds=60.0)
    async with httpx2.AsyncClient(transport=lanes, timeout=httpx2.Timeout(SECONDS, pool=0.05)) as client:
        for _ in range(3):
            with pytest.raises(httpx2.ConnectError):
                await client.get("http://127.0.0.1:1/")


async def _is(so: bool) -> bool:
    return so
