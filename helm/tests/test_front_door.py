"""The front door of the chart, as a real nginx runs it."""

import http.client
import re
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tarsy_local.front_door.routes import OUTSIDE, service_of
from tarsy_processes.ports import free_port
from tarsy_testing.chart import PATHS, at, of_kind
from tarsy_testing.servers.nginx import nginx

SERVICES = ("ingest", "timeline", "websocket-gateway")
START_SECONDS = 30.0


class _Echo(BaseHTTPRequestHandler):
    """Answers with the name of its service, and with the heads that it was asked with."""

    service = ""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("x-service", self.service)
        self.send_header("seen-path", self.path)
        for name in ("Host", "X-Forwarded-Host", "Upgrade", "Connection"):
            self.send_header(f"seen-{name}", self.headers.get(name, ""))
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def _service(name: str) -> Iterator[int]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Echo", (_Echo,), {"service": name}))
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture(scope="module")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of the front door, with a stand-in for each service behind it."""
    with _front_door(tmp_path_factory.mktemp("front-door")) as port:
        yield port


@contextmanager
def _front_door(folder: Path, *more: str) -> Iterator[int]:
    configuration = at(of_kind("everything", "ConfigMap", *more)["sre-front-door"], "data", dict)["nginx.conf"]
    assert isinstance(configuration, str)
    port = free_port()
    with ExitStack() as stack:
        for name in SERVICES:
            behind = stack.enter_context(_service(name))
            configuration = configuration.replace(f"http://sre-{name}:8080", f"http://127.0.0.1:{behind}")
        configuration = re.sub(r"listen [^;]+", f"listen 127.0.0.1:{port}", configuration)
        stack.enter_context(nginx(configuration.replace("/tmp/", f"{folder}/"), folder, port))
        yield port


def _answer(port: int, path: str, **heads: str) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=START_SECONDS)
    try:
        connection.request("GET", path, headers={"Host": "tarsy.example", **heads})
        answer = connection.getresponse()
        answer.read()
        return answer
    finally:
        connection.close()


@pytest.mark.parametrize("path", [*PATHS, *(route.prefix for route in OUTSIDE)])
def test_each_path_is_led_where_our_own_front_door_leads_it(door: int, path: str) -> None:
    answer = _answer(door, path)
    wanted = service_of(path, OUTSIDE)
    assert (answer.headers["x-service"], answer.status) == ((wanted, 200) if wanted else (None, 404))


@pytest.mark.parametrize("path", ["/metrics", "/api/../internal/v1/chains", "/%69nternal/v1/chains", "/internal/"])
def test_what_is_inside_is_reached_by_no_other_spelling(door: int, path: str) -> None:
    assert _answer(door, path).status == 404


@pytest.mark.parametrize("path", ["/", "/api/v1/ws", "/api/v1/sessions"])
def test_services_see_the_name_that_was_asked_for(door: int, path: str) -> None:
    answer = _answer(door, path)
    assert (answer.headers["seen-Host"], answer.headers["seen-X-Forwarded-Host"]) == ("tarsy.example",) * 2


def test_only_the_websocket_is_offered_an_upgrade(door: int) -> None:
    offer = {"Upgrade": "websocket", "Connection": "upgrade"}
    assert _answer(door, "/api/v1/ws", **offer).headers["seen-Upgrade"] == "websocket"
    assert _answer(door, "/api/v1/sessions", **offer).headers["seen-Upgrade"] == ""


def test_below_a_path_all_is_as_without_it(tmp_path: Path) -> None:
    """A proxy before it may pass the path on, or take it away. Services are asked as the front door was."""
    with _front_door(tmp_path, "--set", "http.basePath=ops/tarsy/") as port:
        for path in (*PATHS, *(route.prefix for route in OUTSIDE)):
            wanted = service_of(path, OUTSIDE)
            for asked in (path, f"/ops/tarsy{path}"):
                answer = _answer(port, asked)
                assert (answer.headers["x-service"], answer.status) == ((wanted, 200) if wanted else (None, 404)), asked
                assert answer.headers["seen-path"] == (asked if wanted else None)
        assert _answer(port, "/ops/tarsy").headers["x-service"] == "websocket-gateway"
        assert _answer(port, "/ops/tarsy/%69nternal/v1/chains").status == 404
