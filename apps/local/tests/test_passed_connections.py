"""Connections that the front door passes to a service, over real sockets: requests stay whole, whoever answers them."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect
from websockets.asyncio.client import connect

sys.path.append(str(Path(__file__).parent))

from door_running import LARGE_MESSAGES, Behind, service

from tarsy_local.addresses import HOST
from tarsy_local.front_door.door import Doorway
from tarsy_local.front_door.http_proxy import HttpProxy
from tarsy_local.front_door.routes import OUTSIDE
from tarsy_processes.ports import free_port
from tarsy_service.http.connection_passing import PassingDoor, PassingService, can_pass_connections
from tarsy_service.http.server import http_server, proxy_server
from tarsy_testing.real_servers import eventually

pytestmark = pytest.mark.skipif(not can_pass_connections(), reason="Unix sockets have no messages here")

ALERTS = "/api/v1/alerts"
SOCKET = "/api/v1/ws"
LATER = 30.0


def app_named(name: str) -> Starlette:
    async def answer(request: Request) -> Response:
        body = await request.body()
        return JSONResponse({"name": name, "path": request.url.path, "bytes": len(body)})

    return Starlette(routes=[Route("/{path:path}", answer, methods=["GET", "POST"])])


def echo() -> Starlette:
    """Says under which name it was called, and then everything again."""

    async def talk(socket: WebSocket) -> None:
        await socket.accept()
        await socket.send_text(socket.headers["host"])
        with suppress(WebSocketDisconnect):
            while True:
                await socket.send_text(await socket.receive_text())

    return Starlette(routes=[WebSocketRoute(SOCKET, talk)])


@dataclass
class Doors:
    """A front door with a timeline behind it, and services that take connections."""

    folder: Path
    behind: Behind = field(default_factory=Behind)
    passed: int = 0

    @asynccontextmanager
    async def open(self) -> AsyncIterator[str]:
        """Its address, HOST:PORT."""
        port, passing = free_port(), PassingDoor(self._count)
        async with (
            service(app_named("timeline")) as timeline,
            HttpProxy(self.behind, self.behind.counted, wait_seconds=LATER).running() as proxy,
            proxy_server(Doorway(OUTSIDE, proxy), HOST, port, passing=passing),
        ):
            self.behind.ports["timeline"] = [timeline]
            with passing.listening(self.folder / "door"):
                yield f"{HOST}:{port}"

    @asynccontextmanager
    async def ingest(self, name: str, *, connected: bool = True) -> AsyncIterator[PassingService]:
        """It answers on a port of its own, too."""
        passing, port = PassingService([f"POST {ALERTS}"]), free_port()
        async with (
            passing.connected(str(self.folder / "door")) if connected else nullcontext(),
            http_server(app_named(name), HOST, port, passing=passing),
        ):
            self.behind.ports.setdefault("ingest", []).append(port)
            passing.open()
            yield passing
            self.behind.ports["ingest"].remove(port)
            await passing.withdraw()

    @asynccontextmanager
    async def websocket_gateway(self) -> AsyncIterator[None]:
        passing = PassingService([f"GET {SOCKET}"])
        async with (
            passing.connected(str(self.folder / "door")),
            http_server(echo(), HOST, free_port(), limits=LARGE_MESSAGES, passing=passing),
        ):
            passing.open()
            yield
            await passing.withdraw()

    def _count(self) -> None:
        self.passed += 1


@pytest.fixture
def doors(tmp_path_factory: pytest.TempPathFactory) -> Doors:
    return Doors(tmp_path_factory.mktemp("d"))


@pytest.fixture
async def client() -> AsyncIterator[httpx2.AsyncClient]:
    """It keeps one connection."""
    limits = httpx2.Limits(max_connections=1, keepalive_expiry=LATER)
    async with httpx2.AsyncClient(trust_env=False, timeout=90, limits=limits) as client:
        yield client


async def _post_passed(doors: Doors, client: httpx2.AsyncClient, address: str) -> str:
    """The name of the ingest that answers on a connection which was passed to it, from a fresh client on."""

    async def passed() -> str:
        before = doors.passed
        answer = await client.post(f"http://{address}{ALERTS}", content=b"{}", headers={"connection": "close"})
        return answer.json()["name"] if doors.passed > before else ""

    return await eventually(passed, "a passed connection")


async def test_alerts_are_answered_by_the_ingest_without_a_proxy(doors: Doors, client: httpx2.AsyncClient) -> None:
    async with doors.open() as address, doors.ingest("ingest"):
        await _post_passed(doors, client, address)
        counts, passed = list(doors.behind.counts), doors.passed
        for path, size in ((ALERTS, 5), (f"{ALERTS}/alertmanager", 3_000_000), (f"{ALERTS}?alert_type=x", 0)):
            answer = await client.post(f"http://{address}{path}", content=b"x" * size)
            assert (answer.json()["name"], answer.json()["bytes"]) == ("ingest", size)
        assert doors.behind.counts == counts
        assert doors.passed == passed + 1, "the connection stays there"


async def test_a_request_for_another_service_goes_back_with_its_connection(
    doors: Doors, client: httpx2.AsyncClient
) -> None:
    async with doors.open() as address, doors.ingest("ingest"):
        await _post_passed(doors, client, address)
        names = []
        for method, path in [("POST", ALERTS), ("GET", "/api/v1/sessions"), ("GET", ALERTS), ("POST", ALERTS)] * 3:
            names.append((await client.request(method, f"http://{address}{path}")).json()["name"])
        nowhere = await client.get(f"http://{address}/internal/v1/sessions")
    assert names == ["ingest", "timeline", "ingest", "ingest"] * 3
    assert nowhere.status_code == 404


async def test_a_request_that_comes_byte_by_byte_is_answered(doors: Doors, client: httpx2.AsyncClient) -> None:
    async with doors.open() as address, doors.ingest("ingest"):
        await _post_passed(doors, client, address)
        host, _, port = address.partition(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        request = f"POST {ALERTS} HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{{}}".encode()
        for pieces in ([request], [request[i : i + 1] for i in range(len(request))], [request]):
            for piece in pieces:
                writer.write(piece)
                await asyncio.sleep(0)
            head = await reader.readuntil(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 200 ")
            length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
            assert b'"bytes":2' in await reader.readexactly(length)
        writer.close()


async def test_a_request_for_another_service_behind_an_alert_in_one_piece_is_refused(
    doors: Doors, client: httpx2.AsyncClient
) -> None:
    async with doors.open() as address, doors.ingest("ingest"):
        await _post_passed(doors, client, address)
        host, _, port = address.partition(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        alert = f"POST {ALERTS} HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{{}}"
        writer.write(f"{alert}GET /metrics HTTP/1.1\r\nhost: x\r\n\r\n".encode())
        answers = await reader.read()
        writer.close()
    assert answers.startswith(b"HTTP/1.1 200 ")
    assert b"HTTP/1.1 421 " in answers


async def test_without_an_ingest_that_takes_connections_requests_are_passed_one_by_one(
    doors: Doors, client: httpx2.AsyncClient
) -> None:
    async with doors.open() as address, doors.ingest("ingest", connected=False):
        answer = await client.post(f"http://{address}{ALERTS}", content=b"{}")
        assert answer.json()["name"] == "ingest"
    assert (doors.passed, doors.behind.counts) == (0, [("ingest", 200)])


async def test_a_connection_outlives_the_ingest_that_has_it(doors: Doors, client: httpx2.AsyncClient) -> None:
    url = f"{ALERTS}"
    async with doors.open() as address:
        async with doors.ingest("first"):
            await _post_passed(doors, client, address)
            assert (await client.post(f"http://{address}{url}")).json()["name"] == "first"
        async with doors.ingest("second"):
            assert (await client.post(f"http://{address}{url}")).json()["name"] == "second"
            assert (await client.get(f"http://{address}/api/v1/sessions")).json()["name"] == "timeline"


async def test_ingests_take_connections_in_turn(doors: Doors, client: httpx2.AsyncClient) -> None:
    async with doors.open() as address, doors.ingest("first"), doors.ingest("second"):
        names = [await _post_passed(doors, client, address) for _ in range(8)]
    assert {"first", "second"} == set(names)


async def test_a_live_page_talks_to_its_gateway_without_a_proxy(doors: Doors) -> None:
    async with doors.open() as address, doors.websocket_gateway():

        async def passed() -> str:
            before = doors.passed
            async with connect(f"ws://{address}{SOCKET}", additional_headers={"x-who": "page"}) as socket:
                told = str(await socket.recv())
                await socket.send("x" * 1_000_000)
                assert await socket.recv() == "x" * 1_000_000
            return told if doors.passed > before else ""

        assert await eventually(passed, "a passed connection") == address
        assert doors.behind.counts == []


async def test_a_page_gets_through_to_a_gateway_that_takes_no_connections(doors: Doors) -> None:
    async with doors.open() as address, service(echo()) as port:
        doors.behind.ports["websocket-gateway"] = [port]
        async with connect(f"ws://{address}{SOCKET}") as socket:
            assert await socket.recv() == address
    assert doors.passed == 0
