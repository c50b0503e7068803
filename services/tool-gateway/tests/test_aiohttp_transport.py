"""HTTP over aiohttp in the words of httpx: which connections there are, and what goes wrong how. Real sockets."""

import asyncio
import gzip
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import httpx2
import pytest

from tarsy_testing.real_servers import eventually
from tarsy_tool_gateway.mcp.transports.aiohttp_transport import AiohttpTransport

SECONDS = 90.0
OK = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"


class Server:
    """Says `answer` to whatever is asked, once `go` is set. `open` counts the connections that are open, `met` all."""

    def __init__(self) -> None:
        self.answer = OK
        self.go = asyncio.Event()
        self.go.set()
        self.hangs_up = False
        self.asked: list[bytes] = []
        self.met = 0
        self.open = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.met += 1
        self.open += 1
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                self.asked.append(head)
                await self.go.wait()
                writer.write(self.answer)
                if self.hangs_up:
                    return
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            self.open -= 1
            writer.close()


@asynccontextmanager
async def asked(
    *, most: int = 10, idle_seconds: float = 600.0, read: float | None = None
) -> AsyncIterator[tuple[httpx2.AsyncClient, Server]]:
    server = Server()
    listening = await asyncio.start_server(server.serve, "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    timeout = httpx2.Timeout(SECONDS, read=read)
    async with _client(timeout, most, idle_seconds, f"http://127.0.0.1:{port}") as client:
        try:
            yield client, server
        finally:
            server.go.set()
            listening.close()


def _client(timeout: httpx2.Timeout, most: int = 10, idle: float = 60.0, base_url: str = "") -> httpx2.AsyncClient:
    transport = AiohttpTransport(ssl.create_default_context(), most=most, idle_seconds=idle)
    return httpx2.AsyncClient(transport=transport, base_url=base_url, timeout=timeout)


async def test_one_request_after_the_other_takes_the_same_connection() -> None:
    async with asked() as (client, server):
        assert [(await client.get("/")).text for _ in range(3)] == ["ok"] * 3
    assert server.met == 1


async def test_requests_at_once_have_a_connection_each() -> None:
    async with asked() as (client, server):
        await asyncio.gather(*(client.get("/") for _ in range(5)))
        assert server.met == 5


async def test_one_too_many_waits_for_a_connection_and_then_is_told_that_there_is_none() -> None:
    async with asked(most=2) as (client, server):
        server.go.clear()
        running = [asyncio.create_task(client.get("/")) for _ in range(2)]
        await eventually(lambda: _is(server.met == 2), "two requests")
        with pytest.raises(httpx2.ConnectTimeout):
            await client.get("/", timeout=httpx2.Timeout(SECONDS, pool=0.1))
        server.go.set()
        assert [answer.text for answer in await asyncio.gather(*running)] == ["ok", "ok"]
        assert (await client.get("/")).text == "ok"


async def test_whoever_gives_up_leaves_its_connection_to_nobody_and_its_place_to_others() -> None:
    async with asked(most=1) as (client, server):
        server.go.clear()
        given_up = asyncio.create_task(client.get("/"))
        await eventually(lambda: _is(server.met == 1), "a request")
        given_up.cancel()
        await asyncio.wait([given_up])
        server.go.set()
        assert (await client.get("/")).text == "ok"
        assert server.met == 2


async def test_a_connection_that_nobody_needed_is_closed() -> None:
    async with asked(idle_seconds=0.05) as (client, server):
        await client.get("/")
        await eventually(lambda: _is(server.open == 0), "it is closed")


async def test_a_server_that_is_not_there_costs_no_place() -> None:
    async with _client(httpx2.Timeout(SECONDS), most=1) as client:
        for _ in range(3):
            with pytest.raises(httpx2.ConnectError):
                await client.get("http://127.0.0.1:1/")


async def test_a_name_that_nobody_knows_is_no_connection() -> None:
    async with _client(httpx2.Timeout(SECONDS)) as client:
        with pytest.raises(httpx2.ConnectError):
            await client.get("http://servers.invalid/")


async def test_a_server_that_hangs_up_without_an_answer_may_have_done_it() -> None:
    async with asked() as (client, server):
        server.answer, server.hangs_up = b"", True
        with pytest.raises(httpx2.ReadError):
            await client.post("/", content=b"x")


async def test_an_answer_that_breaks_off_is_an_error_of_reading() -> None:
    async with asked() as (client, server):
        server.answer, server.hangs_up = b"HTTP/1.1 200 OK\r\ncontent-length: 20\r\n\r\nbeg", True
        with pytest.raises(httpx2.ReadError):
            await client.post("/", content=b"x")


async def test_what_is_no_http_is_an_error_of_reading() -> None:
    async with asked() as (client, server):
        server.answer, server.hangs_up = b"220 smtp.example.com ready\r\n\r\n", True
        with pytest.raises(httpx2.ReadError):
            await client.post("/", content=b"x")


async def test_a_silent_server_is_waited_for_as_long_as_reading_may_take() -> None:
    async with asked(read=0.1) as (client, server):
        server.go.clear()
        with pytest.raises(httpx2.ReadTimeout):
            await client.get("/")


async def test_what_httpx_says_is_what_is_sent_and_nothing_besides() -> None:
    async with asked() as (client, server):
        request = httpx2.Request("GET", f"{str(client.base_url).rstrip('/')}/a%2Fb?c=%20d", headers={"X-One": "1"})
        async with AiohttpTransport(ssl.create_default_context(), most=1, idle_seconds=1.0) as transport:
            await (await transport.handle_async_request(request)).aread()
    line, *headers = server.asked[0].decode().strip().split("\r\n")
    assert line == "GET /a%2Fb?c=%20d HTTP/1.1"
    assert sorted(header.partition(":")[0].lower() for header in headers) == ["host", "x-one"]


async def test_it_is_closed_to_the_end_in_a_scope_that_was_cancelled() -> None:
    async with asked() as (client, server):
        with anyio.CancelScope() as scope:
            async with AiohttpTransport(ssl.create_default_context(), most=1, idle_seconds=60.0) as transport:
                await (await transport.handle_async_request(httpx2.Request("GET", f"{client.base_url}"))).aread()
                scope.cancel()
        await eventually(lambda: _is(server.open == 0), "it is closed")


async def test_a_redirect_is_an_answer_and_a_cookie_is_forgotten() -> None:
    async with asked() as (client, server):
        server.answer = b"HTTP/1.1 302 Found\r\nlocation: /other\r\nset-cookie: a=b\r\ncontent-length: 0\r\n\r\n"
        assert (await client.get("/")).status_code == 302
        client.cookies.clear()
        await client.get("/")
    assert len(server.asked) == 2
    assert b"cookie" not in server.asked[1].lower()


async def test_a_packed_answer_is_unpacked_once() -> None:
    async with asked() as (client, server):
        packed = gzip.compress(b"hello")
        head = f"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: {len(packed)}\r\n\r\n"
        server.answer = head.encode() + packed
        assert (await client.get("/")).text == "hello"


async def _is(so: bool) -> bool:
    return so
