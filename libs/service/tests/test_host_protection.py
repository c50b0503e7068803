"""Doors of a service: by which names it is asked (DNS rebinding), and how its answers are marked."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from fastapi import APIRouter, Response, WebSocket
from prometheus_client import CollectorRegistry
from structlog.testing import capture_logs
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from tarsy_processes.ports import free_port
from tarsy_service.access.allowed_hosts import AllowedHosts, authority_of, parse_allowed_hosts
from tarsy_service.access.http_policy import HttpPolicy
from tarsy_service.http.answer_headers import SAFE_HEADERS
from tarsy_service.http.server import http_server
from tarsy_service.process.runner import Readiness, build_app
from tarsy_service.process.service import Ready, Service
from tarsy_service.settings.http import HttpSettings

HOST = "127.0.0.1"
HANDSHAKE = (
    "upgrade: websocket\r\nconnection: upgrade\r\n"
    "sec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
)
LISTED = parse_allowed_hosts("tarsy.example.com, *.corp.example")


async def nothing(ready: Ready) -> None:
    ready()


@asynccontextmanager
async def serving(registry: CollectorRegistry, hosts: AllowedHosts = LISTED) -> AsyncIterator[int]:
    router = APIRouter()

    @router.get("/api/v1/sessions")
    async def sessions() -> dict[str, str]:
        return {"found": "all"}

    @router.get("/")
    async def page() -> Response:
        return Response("page", headers={"Content-Security-Policy": "ours", "Cache-Control": "no-cache"})

    @router.websocket("/api/v1/ws")
    async def watch(socket: WebSocket) -> None:
        await socket.accept()
        await socket.close()

    policy = HttpPolicy(hosts, origins=("https://dashboard.example",))
    app = build_app([Service("one", nothing, router)], Readiness([]), registry, policy=policy)
    port = free_port()
    async with http_server(app, HOST, port):
        yield port


async def said(port: int, head: str) -> tuple[int, str]:
    """Status and the whole answer."""
    reader, writer = await asyncio.open_connection(HOST, port)
    try:
        writer.write(head.encode("latin-1") + b"\r\n")
        answer = (await reader.read(65536)).decode("latin-1")
    finally:
        writer.close()
    return int(answer.split(" ")[1]), answer


def asking(*hosts: str, path: str = "/api/v1/sessions", also: str = "connection: close\r\n") -> str:
    return f"GET {path} HTTP/1.1\r\n" + "".join(f"host: {host}\r\n" for host in hosts) + also


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "LocalHost:8080",
        "localhost.:8080",
        "127.0.0.1:8080",
        "127.8.9.1",
        "[::1]:8080",
        "10.1.2.3:8080",  # a probe, and Prometheus: an address is no name that somebody could point elsewhere
        "tarsy.example.com",
        "Tarsy.Example.Com.:443",
        "a.corp.example",
        "a.b.corp.example:8443",
    ],
)
def test_names_and_addresses_that_are_ours(host: str) -> None:
    asked = authority_of(host)
    assert asked is not None
    assert LISTED.includes(asked.name)


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "127.0.0.1.nip.io:8080",
        "eviltarsy.example.com",
        "tarsy.example.com.evil.example",
        "corp.example",
        "evilcorp.example",
        "timeline",
        "0x7f.1",
    ],
)
def test_names_that_are_not_ours(host: str) -> None:
    asked = authority_of(host)
    assert asked is not None
    assert not LISTED.includes(asked.name)


@pytest.mark.parametrize("host", ["", " ", "a b", "user@localhost", "localhost:80:80", "[::1", "[evil]", "a/b", "ö.de"])
def test_what_is_no_host(host: str) -> None:
    assert authority_of(host) is None


@pytest.mark.parametrize("listed", ["https://tarsy.example.com", "tarsy.example.com:443", "*", "*.", "a.*.b", "a b"])
def test_a_setting_that_is_no_list_of_names_is_a_mistake(listed: str) -> None:
    with pytest.raises(ValueError, match="comma list of names"):
        HttpSettings(hosts=listed)


def test_the_name_that_a_service_listens_on_is_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: "Build-7")
    assert HttpSettings(http_host="tarsy.lan", open_access="yes").http_policy.hosts.includes("tarsy.lan")
    assert HttpSettings(http_host="0.0.0.0", open_access="yes").http_policy.hosts.includes("build-7")
    assert not HttpSettings(http_host="127.0.0.1").http_policy.hosts.includes("build-7")


async def test_a_name_that_is_not_ours_is_answered_421_before_anything_else() -> None:
    registry = CollectorRegistry()
    async with serving(registry) as port:
        for path in ("/api/v1/sessions", "/metrics", "/ready", "/nowhere"):
            status, answer = await said(port, asking("rebound.evil.example", path=path))
            assert (status, "application/problem+json" in answer, "found" in answer) == (421, True, False)
        status, answer = await said(port, asking("rebound.evil.example", path="/api/v1/ws", also=HANDSHAKE))
        assert (status, "TARSY_HOSTS" in answer) == (421, True)
        assert (await said(port, asking(f"localhost:{port}")))[0] == 200
        assert (await said(port, asking("tarsy.example.com", path="/api/v1/ws", also=HANDSHAKE)))[0] == 101
    assert registry.get_sample_value("tarsy_http_denied_total", {"reason": "host"}) == 5


@pytest.mark.parametrize("also", ["connection: close\r\n", HANDSHAKE])
@pytest.mark.parametrize(
    "hosts", [(), ("localhost", "localhost"), ("localhost", "evil.example"), ("evil.example", "localhost"), ("a b",)]
)
async def test_a_request_has_one_host(hosts: tuple[str, ...], also: str) -> None:
    async with serving(CollectorRegistry()) as port:
        status, answer = await said(
            port, asking(*hosts, path="/api/v1/ws" if "upgrade" in also else "/metrics", also=also)
        )
    assert (status, "one Host header" in answer) == (400, True)


@pytest.mark.parametrize("path", ["/health", "/ready"])
async def test_a_load_balancer_may_ask_for_health_without_a_host(path: str) -> None:
    async with serving(CollectorRegistry()) as port:
        status, _ = await said(port, asking(path=path, also="connection: close\r\n"))
    assert status == 200


async def test_a_refused_name_is_told_to_the_operator() -> None:
    with capture_logs() as lines:
        async with serving(CollectorRegistry()) as port:
            await said(port, asking("tarsy.shop.svc", path="/api/v1/alerts/alertmanager"))
    [line] = [one for one in lines if one["event"] == "request.denied"]
    assert (line["reason"], line["host"], line["door"]) == ("host", "tarsy.shop.svc", "alerts")


async def test_only_our_pages_open_a_websocket() -> None:
    registry = CollectorRegistry()
    async with serving(registry) as port:

        async def opened(origin: str, host: str = f"127.0.0.1:{port}") -> int:
            handshake = asking(host, path="/api/v1/ws", also=f"{HANDSHAKE}origin: {origin}\r\n")
            return (await said(port, handshake))[0]

        assert await opened(f"http://127.0.0.1:{port}") == 101
        assert await opened("https://tarsy.example.com", "tarsy.example.com") == 101
        assert await opened("https://dashboard.example") == 101
        for stranger in ("https://evil.example", "null", "http://[", "http://localhost:5173", "http://127.0.0.1:5173"):
            assert await opened(stranger) == 403
    assert registry.get_sample_value("tarsy_http_denied_total", {"reason": "origin"}) == 5


async def test_answers_are_neither_kept_nor_framed_nor_guessed_at() -> None:
    async with serving(CollectorRegistry()) as port:
        answers = [
            (await said(port, asking(host, path=path)))[1].lower()
            for host, path in (("localhost", "/api/v1/sessions"), ("localhost", "/nowhere"), ("evil.example", "/"))
        ]
        page = (await said(port, asking("localhost", path="/")))[1].lower()
    for answer in answers:
        assert all(f"{name.decode()}: {value.decode()}" in answer for name, value in SAFE_HEADERS)
    assert ("content-security-policy: ours" in page, "default-src" in page) == (True, False)
    assert ("cache-control: no-cache" in page, "no-store" in page, "nosniff" in page) == (True, False, True)


async def test_a_message_longer_than_the_limit_closes_its_websocket() -> None:
    router = APIRouter()

    @router.websocket("/api/v1/ws")
    async def listen(socket: WebSocket) -> None:
        await socket.accept()
        while True:
            await socket.send_text(str(len(await socket.receive_text())))

    app, port = build_app([Service("one", nothing, router)], Readiness([]), CollectorRegistry()), free_port()
    async with http_server(app, HOST, port), connect(f"ws://{HOST}:{port}/api/v1/ws") as socket:
        await socket.send("x" * 8 * 1024)
        assert await socket.recv() == "8192"
        await socket.send("x" * (8 * 1024 + 1))
        with pytest.raises(ConnectionClosed) as closed:
            await socket.recv()
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1009
