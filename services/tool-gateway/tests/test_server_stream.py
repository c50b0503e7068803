"""Calls wait for the stream of the server's own messages: the wire is a transport that the test answers."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx2
import pytest

from tarsy_testing.real_servers import eventually
from tarsy_tool_gateway.mcp.direct_calls import DirectCalls
from tarsy_tool_gateway.mcp.transports.http_errors import SESSION, HttpErrorTransport
from tarsy_tool_gateway.mcp.transports.server_stream import ServerStream

URL = "http://server.example/mcp"
LONG = 60.0


class Wire(httpx2.AsyncBaseTransport):
    """Answers everything at once but the GET, which is answered when the test says so."""

    def __init__(self) -> None:
        self.sent: list[str] = []
        self.stream_answer: asyncio.Future[httpx2.Response] = asyncio.get_running_loop().create_future()

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        if request.method == "GET":
            self.sent.append("GET")
            return await self.stream_answer
        self.sent.append(json.loads(request.content)["method"])
        return httpx2.Response(202)


class Session:
    def __init__(self, wire: Wire, wait_seconds: float) -> None:
        self.wire = wire
        self._client = httpx2.AsyncClient(
            transport=HttpErrorTransport(wire, ServerStream(wait_seconds), DirectCalls()), trust_env=False
        )

    async def post(self, method: str, session: str | None = "s1") -> None:
        headers = {SESSION: session} if session is not None else {}
        await self._client.post(URL, json={"jsonrpc": "2.0", "method": method}, headers=headers)

    async def get(self) -> None:
        await self._client.get(URL, headers={SESSION: "s1"})

    async def has_sent(self, *methods: str) -> None:
        async def look() -> bool:
            return self.wire.sent == list(methods)

        await eventually(look, f"{methods} were sent")


@asynccontextmanager
async def session(*, wait_seconds: float = LONG) -> AsyncIterator[Session]:
    session = Session(Wire(), wait_seconds)
    async with asyncio.timeout(LONG / 2):
        yield session


async def everything_else_ran() -> None:
    """A call that waits for nothing is sent within some turns of the loop: no socket is in its way."""
    for _ in range(100):
        await asyncio.sleep(0)


async def test_a_call_waits_until_the_server_has_answered_the_stream() -> None:
    async with session() as opened, asyncio.TaskGroup() as tasks:
        await opened.post("notifications/initialized")
        stream = tasks.create_task(opened.get())
        await opened.has_sent("notifications/initialized", "GET")
        call = tasks.create_task(opened.post("tools/call"))
        await everything_else_ran()
        await opened.post("tools/list")
        assert opened.wire.sent == ["notifications/initialized", "GET", "tools/list"]
        opened.wire.stream_answer.set_result(httpx2.Response(200))
        await stream
        await call
        assert opened.wire.sent[-1] == "tools/call"


@pytest.mark.parametrize("answer", [httpx2.Response(405), httpx2.ReadError("reset")])
async def test_a_stream_that_is_refused_holds_no_call(answer: httpx2.Response | httpx2.ReadError) -> None:
    async with session() as opened:
        await opened.post("notifications/initialized")
        if isinstance(answer, httpx2.Response):
            opened.wire.stream_answer.set_result(answer)
            await opened.get()
        else:
            opened.wire.stream_answer.set_exception(answer)
            with pytest.raises(httpx2.ReadError):
                await opened.get()
        await opened.post("tools/call")


async def test_a_server_that_does_not_answer_the_stream_holds_the_first_call_for_a_moment_only() -> None:
    async with session(wait_seconds=0.01) as opened:
        await opened.post("notifications/initialized")
        await opened.post("tools/call")
        await opened.post("tools/call")
        assert opened.wire.sent == ["notifications/initialized", "tools/call", "tools/call"]


@pytest.mark.parametrize("initialized", [False, True])
async def test_without_a_session_nothing_is_waited_for(initialized: bool) -> None:
    async with session() as opened:
        if initialized:
            await opened.post("notifications/initialized", session=None)
        await opened.post("tools/call", session=None)
        assert opened.wire.sent[-1] == "tools/call"
