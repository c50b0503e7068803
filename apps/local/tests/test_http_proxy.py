"""HTTP through the front door, over real sockets."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

sys.path.append(str(Path(__file__).parent))

from door_running import Behind, door, raw_service, service

from tarsy_contracts.api.chat import LONGEST_QUESTION
from tarsy_local.addresses import HOST
from tarsy_local.front_door.request_body import BODY_LIMIT_BYTES
from tarsy_processes.ports import free_port
from tarsy_service.http.bounded_http import HttpLimits
from tarsy_testing.real_servers import eventually

TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
MEGABYTE = b"m" * 1_000_000


def app_named(name: str) -> Starlette:
    async def echo(request: Request) -> Response:
        body = await request.body()
        return JSONResponse(
            {
                "name": name,
                "method": request.method,
                "path": request.url.path,
                "raw": request.scope["raw_path"].decode(),
                "query": request.url.query,
                "headers": request.headers.items(),
                "bytes": len(body),
            },
            headers={"set-cookie": "a=1", "connection": "close, x-mine", "x-mine": "1", "x-kept": "1"},
        )

    return Starlette(routes=[Route("/{path:path}", echo, methods=["GET", "POST", "DELETE", "PATCH"])])


@pytest.fixture
async def client() -> AsyncIterator[httpx2.AsyncClient]:
    async with httpx2.AsyncClient(trust_env=False, timeout=90) as client:
        yield client


async def test_a_request_goes_to_the_service_of_its_path_with_all_that_it_says(client: httpx2.AsyncClient) -> None:
    sent = {
        "traceparent": TRACE,
        "x-forwarded-for": "10.0.0.9",
        "x-forwarded-user": "me",
        "connection": "keep-alive, x-hop",
        "x-hop": "1",
        "te": "trailers",
        "host": "tarsy.example",
    }
    async with (
        service(app_named("t")) as timeline,
        service(app_named("i")) as ingest,
        door(Behind({"timeline": [timeline], "ingest": [ingest]})) as address,
    ):
        url = f"http://{address}/api/v1/sessions/a%20b?x=1&y=%2F"
        answer = await client.request("PATCH", url, content=b"12345", headers=sent)
        other = await client.post(f"http://{address}/api/v1/alerts/alertmanager", content=b"{}")
    told = answer.json()
    headers = dict(told["headers"])
    assert (told["name"], told["method"], told["bytes"]) == ("t", "PATCH", 5)
    assert (told["path"], told["raw"]) == ("/api/v1/sessions/a b", "/api/v1/sessions/a%20b")
    assert told["query"] == "x=1&y=%2F"
    assert headers["traceparent"] == TRACE
    assert headers["x-forwarded-user"] == "me"
    assert headers["x-forwarded-for"] == f"10.0.0.9, {HOST}"
    assert headers["x-forwarded-proto"] == "http"
    assert headers["host"] == headers["x-forwarded-host"] == "tarsy.example"
    assert not headers.keys() & {"x-hop", "te"}
    assert [name for name, _ in told["headers"]].count("x-forwarded-for") == 1
    assert (answer.headers["set-cookie"], answer.headers["x-kept"]) == ("a=1", "1")
    assert "x-mine" not in answer.headers
    assert other.json()["name"] == "i"


@pytest.mark.parametrize(
    "named", ["x-forwarded-user", "X-Forwarded-User , x-hop", "close, x-remote-user, origin, sec-fetch-site, host"]
)
async def test_connection_takes_no_name_from_who_asks(client: httpx2.AsyncClient, named: str) -> None:
    sent = {
        "connection": named,
        "x-forwarded-user": "me",
        "x-remote-user": "me",
        "origin": "https://evil.example",
        "sec-fetch-site": "cross-site",
    }
    async with service(app_named("t")) as timeline, door(Behind({"timeline": [timeline]})) as address:
        told = (await client.get(f"http://{address}/api/v1/sessions", headers=sent)).json()
    headers = dict(told["headers"])
    assert {name: headers.get(name) for name in sent if name != "connection"} == {
        name: value for name, value in sent.items() if name != "connection"
    }


async def test_a_name_in_another_spelling_is_not_passed_on(client: httpx2.AsyncClient) -> None:
    sent = {"x_forwarded_user": "root", "X_Forwarded-User": "root", "x-forwarded-user": "me"}
    async with service(app_named("t")) as timeline, door(Behind({"timeline": [timeline]})) as address:
        told = (await client.get(f"http://{address}/api/v1/sessions", headers=sent)).json()
    assert [(name, value) for name, value in told["headers"] if "user" in name and name != "user-agent"] == [
        ("x-forwarded-user", "me")
    ]


async def test_the_longest_question_goes_through_however_its_characters_are_written(client: httpx2.AsyncClient) -> None:
    question = {"content": "\N{FIRE}" * LONGEST_QUESTION}
    async with service(app_named("t")) as port, door(Behind({"timeline": [port]})) as address:
        for body in (json.dumps(question), json.dumps(question, ensure_ascii=False)):
            answer = await client.post(f"http://{address}/api/v1/sessions/a/chat/messages", content=body)
            assert (answer.status_code, answer.json()["bytes"]) == (200, len(body.encode()))


async def test_a_request_without_a_header_gets_none_of_ours(client: httpx2.AsyncClient) -> None:
    """A service must not compress for a client that never said it could read that."""
    async with service(app_named("t")) as timeline, door(Behind({"timeline": [timeline]})) as address:
        host, port = address.split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(b"GET /api/v1/sessions HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n")
        answer = await reader.read()
        writer.close()
    assert b"accept" not in answer.split(b"\r\n\r\n", 1)[1]


async def test_what_leads_nowhere_is_answered_so(client: httpx2.AsyncClient) -> None:
    async with (
        service(app_named("t")) as port,
        door(Behind({"timeline": [port], "websocket-gateway": [port]})) as address,
    ):
        host, number = address.split(":")
        for path in (
            "/internal/v1/chains",
            "/api/v1/../../internal/v1/chains",
            "/api/v1/%2e%2e/%2E./internal/v1/chains",
            "/%69nternal/v1/chains",
            "//internal/v1/chains",
            "/internal%2Fv1/chains",
        ):
            reader, writer = await asyncio.open_connection(host, int(number))
            writer.write(f"GET {path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n".encode())
            answer = await reader.read()
            writer.close()
            assert answer.startswith(b"HTTP/1.1 404"), path
            assert b"application/problem+json" in answer


async def test_large_bodies_go_through_in_pieces_both_ways(client: httpx2.AsyncClient) -> None:
    """A piece comes out before the last one is in: nothing is held back."""
    go_on = asyncio.Event()

    async def answer(request: Request) -> StreamingResponse:
        size = 0
        async for piece in request.stream():
            size += len(piece)

        async def pieces() -> AsyncIterator[bytes]:
            yield f"{size};".encode()
            await go_on.wait()
            for _ in range(30):
                yield MEGABYTE

        return StreamingResponse(pieces())

    async def sent() -> AsyncIterator[bytes]:
        for _ in range(15):
            yield MEGABYTE

    app = Starlette(routes=[Route("/{path:path}", answer, methods=["POST"])])
    async with (
        service(app) as port,
        door(Behind({"timeline": [port]})) as address,
        client.stream("POST", f"http://{address}/api/v1/x", content=sent()) as reply,
    ):
        pieces = reply.aiter_raw()
        assert await anext(pieces) == b"15000000;"
        go_on.set()
        size = 0
        async for piece in pieces:
            size += len(piece)
    assert size == 30_000_000


@pytest.mark.parametrize("declared", [True, False])
async def test_a_body_beyond_all_measure_is_refused(client: httpx2.AsyncClient, declared: bool) -> None:
    async def sent() -> AsyncIterator[bytes]:
        for _ in range(BODY_LIMIT_BYTES // len(MEGABYTE) + 1):
            yield MEGABYTE

    body = b"".join([piece async for piece in sent()]) if declared else sent()
    async with service(app_named("t")) as port, door(Behind({"timeline": [port]})) as address:
        answer = await client.post(f"http://{address}/api/v1/x", content=body)
    assert answer.status_code == 413
    assert answer.headers["content-type"] == "application/problem+json"


async def test_an_instance_that_refuses_is_passed_over_and_the_others_take_turns(client: httpx2.AsyncClient) -> None:
    async with (
        service(app_named("one")) as one,
        service(app_named("two")) as two,
        door(Behind({"ingest": [free_port(), one, two]})) as address,
    ):
        answers = [await client.post(f"http://{address}/api/v1/alerts", content=b"12") for _ in range(6)]
        names = [answer.json()["name"] for answer in answers]
    assert set(names) == {"one", "two"}


@pytest.mark.timing
async def test_a_service_that_is_being_started_again_is_waited_for(client: httpx2.AsyncClient) -> None:
    behind = Behind()
    async with service(app_named("late")) as port, door(behind) as address:
        asking = asyncio.create_task(client.post(f"http://{address}/api/v1/alerts", content=b"12"))
        _, waiting = await asyncio.wait([asking], timeout=0.3)
        assert waiting
        behind.ports["ingest"] = [port]
        told = (await asking).json()
    assert (told["name"], told["bytes"]) == ("late", 2)


async def test_where_nobody_comes_it_is_said_when_to_ask_again(client: httpx2.AsyncClient) -> None:
    behind = Behind({"ingest": [free_port()]})
    async with door(behind, wait_seconds=0.2) as address:
        answer = await client.post(f"http://{address}/api/v1/alerts", content=b"12")
    assert answer.status_code == 503
    assert int(answer.headers["retry-after"]) >= 1
    assert answer.json()["detail"] == "No ingest answers now. Ask again in a moment."
    assert behind.counts == [("ingest", 503)]


async def test_who_stops_keeps_nobody_waiting(client: httpx2.AsyncClient) -> None:
    async with door(Behind(stopping=True), wait_seconds=3600) as address:
        assert (await client.get(f"http://{address}/api/v1/sessions")).status_code == 503


async def _dies(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.readuntil(b"\r\n\r\n")


async def test_a_question_whose_instance_died_is_asked_of_another_one(client: httpx2.AsyncClient) -> None:
    async with (
        raw_service(_dies) as dying,
        service(app_named("t")) as port,
        door(Behind({"timeline": [dying, port]})) as address,
    ):
        names = [(await client.get(f"http://{address}/api/v1/sessions")).json()["name"] for _ in range(4)]
    assert names == ["t"] * 4


async def test_what_changes_something_is_sent_once_and_its_sender_told(client: httpx2.AsyncClient) -> None:
    heard: list[int] = []

    async def dies(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.append(1)
        await _dies(reader, writer)

    async with raw_service(dies) as dying, door(Behind({"ingest": [dying]})) as address:
        answer = await client.post(f"http://{address}/api/v1/alerts", content=b"12")
    assert answer.status_code == 502
    assert "ask again" in answer.json()["detail"]
    assert len(heard) == 1


async def test_half_an_answer_does_not_look_like_a_whole_one(client: httpx2.AsyncClient) -> None:
    async def half(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n")
        await writer.drain()

    async with raw_service(half) as port, door(Behind({"timeline": [port]})) as address:
        with pytest.raises(httpx2.RemoteProtocolError):
            await client.get(f"http://{address}/api/v1/sessions")


async def test_when_the_client_goes_so_does_the_question() -> None:
    """Both while the answer is waited for and while it comes."""
    gone: list[str] = []
    asked, reading = asyncio.Event(), asyncio.Event()

    async def slow(request: Request) -> Response:
        asked.set()
        await request.receive()  # its empty body
        assert (await request.receive())["type"] == "http.disconnect"
        gone.append("waiting")
        return Response()

    async def endless(request: Request) -> StreamingResponse:
        async def pieces() -> AsyncIterator[bytes]:
            try:
                while True:
                    yield MEGABYTE
                    await asyncio.sleep(0.01)
            finally:
                gone.append("streaming")

        return StreamingResponse(pieces())

    async def upload(request: Request) -> Response:
        try:
            async for _ in request.stream():
                reading.set()
        except ClientDisconnect:
            gone.append("uploading")
        return Response()

    routes = [
        Route("/api/v1/slow", slow),
        Route("/api/v1/endless", endless),
        Route("/api/v1/upload", upload, methods=["POST"]),
    ]

    async def seen(what: str) -> bool:
        return what in gone

    async with service(Starlette(routes=routes)) as port, door(Behind({"timeline": [port]})) as address:
        host, number = address.split(":")
        reader, writer = await asyncio.open_connection(host, int(number))
        writer.write(b"GET /api/v1/slow HTTP/1.1\r\nhost: a\r\n\r\n")
        await asked.wait()
        writer.close()
        await eventually(lambda: seen("waiting"), "the service saw that the client left")

        reader, writer = await asyncio.open_connection(host, int(number))
        writer.write(b"GET /api/v1/endless HTTP/1.1\r\nhost: a\r\n\r\n")
        await reader.readexactly(2_000_000)
        writer.close()
        await eventually(lambda: seen("streaming"), "the service stopped to send")

        reader, writer = await asyncio.open_connection(host, int(number))
        writer.write(b"POST /api/v1/upload HTTP/1.1\r\nhost: a\r\ncontent-length: 9000000\r\n\r\n" + MEGABYTE)
        await writer.drain()
        await reading.wait()
        writer.close()
        await eventually(lambda: seen("uploading"), "the service stopped to read")


async def test_who_sends_slowly_occupies_no_instance_and_is_ended() -> None:
    asked: list[str] = []

    async def echo(request: Request) -> Response:
        asked.append((await request.body()).decode())
        return Response()

    app = Starlette(routes=[Route("/{path:path}", echo, methods=["POST"])])
    async with (
        service(app) as port,
        door(Behind({"timeline": [port]}), limits=HttpLimits(body_seconds=1.0)) as address,
    ):
        host, number = address.split(":")
        slow = [await asyncio.open_connection(host, int(number)) for _ in range(50)]
        for _, writer in slow:
            writer.write(b"POST /api/v1/x HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\nslow")
        # In one piece, so that no pause of the machine lies within it.
        reader, writer = await asyncio.open_connection(host, int(number))
        head = b"POST /api/v1/x HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-length: 6\r\n\r\n"
        writer.write(head + b"honest")
        async with asyncio.timeout(120):
            assert (await reader.read()).startswith(b"HTTP/1.1 200 ")
            writer.close()
            answers = [await reader.read() for reader, _ in slow]
        for _, writer in slow:
            writer.close()

    assert {answer.partition(b"\r\n")[0] for answer in answers} == {b"HTTP/1.1 408 Request Timeout"}
    assert asked == ["honest"]
