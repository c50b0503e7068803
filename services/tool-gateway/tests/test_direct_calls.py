"""Tool calls past the SDK's transport: what is answered there, what is handed over, and that nothing is sent twice."""

import asyncio
import gzip
import json
import re
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx2
import pytest
from mcp import MCPError

from tarsy_testing.real_servers import eventually
from tarsy_tool_gateway.mcp.direct_calls import FIRST_ID, DirectCalls, Send
from tarsy_tool_gateway.mcp.failures import failure_of
from tarsy_tool_gateway.mcp.transports.aiohttp_transport import AiohttpTransport
from tarsy_tool_gateway.mcp.transports.http_errors import SESSION, HttpErrorTransport
from tarsy_tool_gateway.mcp.transports.results_at_once import result_in_events, result_in_json
from tarsy_tool_gateway.mcp.transports.server_stream import ServerStream

SECONDS = 90.0
SAID = {"content": [{"type": "text", "text": "three pods"}], "isError": False}
PARAMS = {"name": "look", "arguments": {"what": "pods"}, "_meta": {"protocol": "newest"}}
CANCELLED = "notifications/cancelled"
LAST = "connection: close\r\n"


def answer(id: int, **more: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": id, "result": SAID, **more}).encode()


def event(data: bytes) -> bytes:
    return b"event: message\r\ndata: " + data + b"\r\n\r\n"


def response(body: bytes, *, status: str = "200 OK", kind: str = "application/json", more: str = "") -> bytes:
    return (
        f"HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {len(body)}\r\n{more}{LAST}\r\n".encode() + body
    )


def chunked(*pieces: bytes, kind: str) -> bytes:
    head = f"HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ntransfer-encoding: chunked\r\n{LAST}\r\n".encode()
    return head + b"".join(f"{len(piece):x}\r\n".encode() + piece + b"\r\n" for piece in (*pieces, b""))


STREAM = "text/event-stream"
LAST_CHUNK = b"0\r\n\r\n"
PROGRESS = event(b'{"jsonrpc":"2.0","method":"notifications/progress","params":{}}')
AT_ONCE: dict[str, bytes] = {
    "as JSON": response(answer(FIRST_ID)),
    "with a character set": response(answer(FIRST_ID), kind="application/json; charset=utf-8"),
    "in one event": chunked(event(answer(FIRST_ID)), kind=STREAM),
    "behind a position of the stream": chunked(b"id: 1\r\ndata:\r\n\r\n" + event(answer(FIRST_ID)), kind=STREAM),
}


def handed_over(id: int) -> dict[str, bytes]:
    """Answers to the request of that id."""
    return {
        "an error of the protocol": response(b'{"jsonrpc":"2.0","id":%d,"error":{"code":-32602,"message":"no"}}' % id),
        "the answer to another request": response(answer(7)),
        "no JSON": response(b"<h1>three pods"),
        "a refusal": response(b"no", status="403 Forbidden", kind="text/plain"),
        "a failure": response(b"no", status="500 Internal Server Error", kind="text/plain"),
        "a failure with a result": response(answer(id), status="500 Internal Server Error"),
        "JSON of unknown length": chunked(answer(id), kind="application/json"),
        "JSON that is packed": response(gzip.compress(answer(id)), more="content-encoding: gzip\r\n"),
        "progress before the result": chunked(PROGRESS, event(answer(id)), kind=STREAM),
        "nothing": response(b"", status="202 Accepted"),
        "an end in the middle": response(answer(id) + b" " * 100)[:-50],
        "an end": b"",
    }


@dataclass
class Server:
    """Says `says` to every request, and hangs up. When it is None, it says nothing until the client hangs up.

    `rest` comes when it `goes_on`.
    """

    says: bytes | None = None
    rest: bytes = b""
    goes_on: asyncio.Event = field(default_factory=asyncio.Event)
    asked: list[tuple[bytes, dict[str, Any]]] = field(default_factory=list)
    left: int = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(int(line.split(b":")[1]) for line in head.lower().splitlines() if b"content-length" in line)
        self.asked.append((head, json.loads(await reader.readexactly(length))))
        if self.says is None:
            await reader.read()
            self.left += 1
        else:
            writer.write(self.says)
            if self.rest:
                await self.goes_on.wait()
                writer.write(self.rest)
        writer.close()

    async def was_asked(self) -> bool:
        return bool(self.asked)


@dataclass
class Calling:
    """`call` as the session of the SDK makes it. `sent` has the options of what went through the SDK."""

    direct: DirectCalls
    client: httpx2.AsyncClient
    url: str
    going_on: asyncio.Event = field(default_factory=asyncio.Event)
    sent: list[dict[str, Any]] = field(default_factory=list)
    told: list[tuple[str, Mapping[str, Any]]] = field(default_factory=list)

    async def call(self, seconds: float = SECONDS) -> dict[str, Any]:
        options = {"timeout": seconds, "headers": {"mcp-name": "look"}, "on_progress": self._sdk}
        return await self._send()("tools/call", PARAMS, options)

    def _send(self) -> Send:
        return self.direct.before(self._sdk, self._notify)

    async def _sdk(self, method: str, params: Mapping[str, Any], options: dict[str, Any]) -> dict[str, Any]:
        """Its transport reads the whole answer; here it stands for that."""
        self.sent.append(options)
        self.going_on.set()
        asked = {"jsonrpc": "2.0", "id": options.get("request_id", 1), "method": method, "params": params}
        found = await self.client.post(self.url, json=asked)
        return {"status": found.status_code, "text": found.text}

    async def _notify(self, method: str, params: Mapping[str, Any]) -> None:
        self.told.append((method, params))


@asynccontextmanager
async def calling(server: Server) -> AsyncIterator[Calling]:
    listening = await asyncio.start_server(server.serve, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/mcp"
    direct = DirectCalls()
    try:
        async with (
            asyncio.timeout(SECONDS),
            AiohttpTransport(ssl.create_default_context(), most=4, idle_seconds=600.0) as transport,
            httpx2.AsyncClient(transport=HttpErrorTransport(transport, ServerStream(), direct)) as client,
        ):
            direct.begin(transport, url, {"x-org": "7"})
            yield Calling(direct, client, url)
    finally:
        listening.close()


@pytest.mark.parametrize("says", AT_ONCE.values(), ids=AT_ONCE)
async def test_a_result_that_comes_whole_needs_no_sdk(says: bytes) -> None:
    server = Server(says)
    async with calling(server) as one:
        assert await one.call() == SAID
        assert one.sent == []
    ((head, asked),) = server.asked
    for name in (b"x-org: 7", b"mcp-name: look", b"accept: application/json, text/event-stream"):
        assert name in head.lower()
    assert asked == {
        "jsonrpc": "2.0",
        "id": FIRST_ID,
        "method": "tools/call",
        "params": {**PARAMS, "_meta": {"protocol": "newest", "progressToken": FIRST_ID}},
    }


@pytest.mark.parametrize("says", handed_over(FIRST_ID))
async def test_what_else_comes_is_handed_to_the_sdk_and_nothing_is_sent_twice(says: str) -> None:
    """The SDK's transport reads the same as without direct calls."""
    server = Server(handed_over(FIRST_ID)[says])
    async with calling(server) as one:
        found = await one.call()
        (options,) = one.sent
        assert options["request_id"] == FIRST_ID
        assert 0 < options["timeout"] <= SECONDS
    assert len(server.asked) == 1
    async with calling(Server(handed_over(1)[says])) as other:
        other.direct.stop()
        assert found["status"] == (await other.call())["status"]
        assert _unnamed(found["text"]) == _unnamed((await other.call())["text"])


def _unnamed(text: str) -> str:
    """Without the id, and how long it is."""
    return re.sub(rf'"id": ?({FIRST_ID}|1)\b|received \d+ of \d+', "", text)


async def test_an_answer_that_has_only_begun_is_read_on_by_the_sdk() -> None:
    said = event(answer(FIRST_ID))
    begun, rest = chunked(said[:30], kind=STREAM)[: -len(LAST_CHUNK)], chunked(said[30:], kind="")
    server = Server(begun, rest=rest.partition(b"\r\n\r\n")[2])
    async with calling(server) as one:
        one.going_on = server.goes_on
        assert (await one.call())["text"] == said.decode().replace("\r\n", "\n")
        assert len(one.sent) == 1
    assert len(server.asked) == 1


@pytest.mark.timing
async def test_a_call_that_takes_too_long_is_given_up_and_its_server_told() -> None:
    server = Server(None)
    async with calling(server) as one:
        with pytest.raises(MCPError) as problem:
            await one.call(seconds=0.2)
        failure = failure_of(problem.value, alive=True)
        assert failure is not None
        assert failure.kind == "timed_out"
        assert one.sent == []
        assert [(method, params["requestId"]) for method, params in one.told] == [(CANCELLED, FIRST_ID)]


async def test_a_call_that_is_broken_off_ends_its_request_and_its_server_is_told() -> None:
    server = Server(None)
    async with calling(server) as one:
        task = asyncio.create_task(one.call())
        await eventually(server.was_asked, "the server was asked")
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert [(method, params["requestId"]) for method, params in one.told] == [(CANCELLED, FIRST_ID)]

        async def left() -> bool:
            return server.left == 1

        await eventually(left, "the request has ended")
        # The SDK may come too late for a call that was given up: then nothing is sent, either.
        assert (await one._sdk("tools/call", PARAMS, {"request_id": FIRST_ID}))["status"] == 502
    assert len(server.asked) == 1


async def test_a_server_that_is_elsewhere_is_the_affair_of_the_sdk_from_then_on() -> None:
    server = Server(response(b"", status="307 Temporary Redirect", more="location: /other\r\n"))
    async with calling(server) as one:
        await one.call()
        assert "request_id" not in one.sent[0]
        await one.call()
        assert [asked["id"] for _, asked in server.asked] == [FIRST_ID, 1, 1]


async def test_a_session_with_a_stream_of_its_server_has_no_direct_calls() -> None:
    """Progress of a call may come on that stream, where only the SDK reads."""
    server = Server(response(b"", status="202 Accepted"))
    async with calling(server) as one:
        begun = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        await one.client.post(one.url, json=begun, headers={SESSION: "s1"})
        server.says = response(answer(1))
        await one.call()
        assert len(one.sent) == 1


async def test_arguments_that_no_json_can_say_are_the_affair_of_the_sdk() -> None:
    server = Server(response(answer(1)))
    async with calling(server) as one:
        send = one._send()
        with pytest.raises(ValueError, match="not JSON compliant"):
            await send("tools/call", {"name": "look", "arguments": {"share": float("nan")}}, {"timeout": SECONDS})
    assert server.asked == []


@pytest.mark.parametrize(
    "begun",
    [
        b"",
        b"data: {}",
        event(answer(FIRST_ID))[:-2],
        event(answer(FIRST_ID)) * 2,
        event(answer(FIRST_ID)).replace(b"message", b"other"),
        event(answer(FIRST_ID + 1)),
        event(answer(FIRST_ID)) + b": and",
        b"data: \xff\n\n",
        event(answer(FIRST_ID)).replace(b"\r\n", b"\r"),
    ],
)
def test_a_stream_is_read_at_once_only_when_nothing_is_in_doubt(begun: bytes) -> None:
    assert result_in_events(begun, FIRST_ID) is None


@pytest.mark.parametrize(
    "pieces", [b"data: %s\n\n", b": ping\r\n\r\ndata:%s\r\n\r\n", b"id: 7\nretry: 1\ndata: %s\n\n"]
)
def test_a_stream_of_one_event_is_read_at_once(pieces: bytes) -> None:
    assert result_in_events(pieces % answer(FIRST_ID), FIRST_ID) == SAID


@pytest.mark.parametrize("content", [b"[]", b"null", b"{", answer(FIRST_ID + 1), answer(FIRST_ID, error={"code": 1})])
def test_json_that_is_no_result_is_none(content: bytes) -> None:
    assert result_in_json(content, FIRST_ID) is None
