"""An offer of another protocol that nobody takes leaves a request as it is: nothing of it is lost, nothing is added."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import h11
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.types import Receive, Scope, Send

from tarsy_processes.ports import free_port
from tarsy_service.http.server import http_server

HOST = "127.0.0.1"
LIMIT_SECONDS = 20.0
TUNNEL = b"CONNECT db:5432 HTTP/1.1\r\nhost: db\r\n\r\n"
WITHIN = b"GET /within HTTP/1.1\r\nhost: x\r\nx-forwarded-user: root\r\n\r\n"
"""A request that somebody hides in the body of another."""


@dataclass(frozen=True)
class Asked:
    method: str
    path: str
    body: bytes
    offer: str
    chunked: bool

    def encoded(self, *, last: bool) -> bytes:
        head = [f"{self.method} {self.path} HTTP/1.1", "host: x"]
        tokens = [*(["Upgrade, HTTP2-Settings"] if self.offer else []), *(["close"] if last else [])]
        if self.offer:
            head += [f"Upgrade: {self.offer}", "HTTP2-Settings: AAEAAEAA"]
        if tokens:
            head.append(f"Connection: {', '.join(tokens)}")
        head.append("transfer-encoding: chunked" if self.chunked else f"content-length: {len(self.body)}")
        body = b"%x\r\n%b\r\n0\r\n\r\n" % (len(self.body), self.body) if self.chunked and self.body else self.body
        return "\r\n".join([*head, "", ""]).encode() + (body or (b"0\r\n\r\n" if self.chunked else b""))


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    """Answers with what it was asked."""
    body = b""
    while (message := await receive())["type"] == "http.request":
        body += message.get("body", b"")
        if not message.get("more_body"):
            break
    text = json.dumps([scope["method"], scope["path"], body.hex()]).encode()
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % len(text))]})
    await send({"type": "http.response.body", "body": text})


port_of_tests = cache(free_port)
"""One for all examples, whose servers follow one another."""


@asynccontextmanager
async def serving() -> AsyncIterator[int]:
    port = port_of_tests()
    async with http_server(echo, HOST, port):
        yield port


async def answers(port: int, segments: Sequence[bytes]) -> bytes:
    """All that the server says until it closes the connection. Each segment is read before the next is sent."""
    async with asyncio.timeout(LIMIT_SECONDS):
        reader, writer = await asyncio.open_connection(HOST, port)
        try:
            for segment in segments:
                writer.write(segment)
                await writer.drain()
                for _ in range(5):
                    await asyncio.sleep(0)
            return await reader.read()
        finally:
            writer.close()


def echoed(said: bytes) -> list[list[str]]:
    """The bodies of the answers, as a client reads them."""
    client, found = h11.Connection(h11.CLIENT), []
    client.receive_data(said)
    client.receive_data(b"")
    while client.our_state is h11.IDLE and client.trailing_data[0]:
        client.send(h11.Request(method="GET", target="/", headers=[("host", "x")]))
        client.send(h11.EndOfMessage())
        body = b""
        while not isinstance(event := client.next_event(), h11.EndOfMessage | h11.ConnectionClosed):
            if isinstance(event, h11.Response):
                assert event.status_code == 200
            elif isinstance(event, h11.Data):
                body += event.data
        found.append(json.loads(body))
        if {client.our_state, client.their_state} != {h11.DONE}:
            break
        client.start_next_cycle()
    return found


def read_strictly(sent: bytes) -> list[list[str]]:
    """The requests that a strict parser sees, for which an offer is a header as any other."""
    server, found = h11.Connection(h11.SERVER), []
    server.receive_data(sent)
    while isinstance(request := server.next_event(), h11.Request):
        body = b""
        while not isinstance(event := server.next_event(), h11.EndOfMessage):
            assert isinstance(event, h11.Data)
            body += event.data
        found.append([request.method.decode(), request.target.decode(), body.hex()])
        server.send(h11.Response(status_code=200, headers=[("content-length", "0")]))
        server.send(h11.EndOfMessage())
        if server.our_state is not h11.DONE:
            break
        server.start_next_cycle()
    return found


OFFERS = ("", "h2c", "h2c, websocket", "TLS/1.0", "websocket/13", "foo")
REQUESTS = st.builds(
    Asked,
    method=st.sampled_from(["POST", "PUT", "GET", "DELETE"]),
    path=st.sampled_from(["/a", "/b?c=1", "/d%20e"]),
    body=st.one_of(st.binary(max_size=60), st.just(WITHIN), st.just(b"\r\n\r\n"), st.just(TUNNEL)),
    offer=st.sampled_from(OFFERS),
    chunked=st.booleans(),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(REQUESTS, min_size=1, max_size=4), st.lists(st.integers(0, 600), max_size=5))
def test_the_server_sees_the_requests_that_a_strict_parser_sees(asked: list[Asked], cuts: list[int]) -> None:
    sent = b"".join(one.encoded(last=one is asked[-1] and n == len(asked) - 1) for n, one in enumerate(asked))
    ends = sorted({min(cut, len(sent)) for cut in cuts} | {0, len(sent)})
    segments = [sent[begin:end] for begin, end in pairwise(ends)]

    async def run() -> bytes:
        async with serving() as port:
            return await answers(port, segments)

    wanted = [[method, path.partition("?")[0].replace("%20", " "), body] for method, path, body in read_strictly(sent)]
    assert echoed(asyncio.run(run())) == wanted


@pytest.mark.parametrize("offer", [one for one in OFFERS if one])
@pytest.mark.parametrize("chunked", [False, True])
async def test_a_body_that_comes_after_an_offer_is_no_request_of_its_own(offer: str, chunked: bool) -> None:
    sent = Asked("POST", "/outer", WITHIN, offer, chunked).encoded(last=True)
    head, _, body = sent.partition(b"\r\n\r\n")
    async with serving() as port:
        assert echoed(await answers(port, [head + b"\r\n\r\n", body])) == [["POST", "/outer", WITHIN.hex()]]


async def test_a_tunnel_is_refused_and_nothing_behind_it_is_read() -> None:
    async with serving() as port:
        said = await answers(port, [TUNNEL + WITHIN])
    assert said.startswith(b"HTTP/1.1 400 ")
    assert said.count(b"HTTP/1.1") == 1
