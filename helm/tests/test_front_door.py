"""The front door of the chart, as a real nginx runs it."""

import http.client
import re
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tarsy_chart import PATHS, at, of_kind
from tarsy_local.front_door.routes import OUTSIDE, service_of
from tarsy_processes.ports import free_port
from tarsy_programs import require_programs

SERVICES = ("ingest", "timeline", "websocket-gateway")
START_SECONDS = 30.0


class _Echo(BaseHTTPRequestHandler):
    """Answers with the name of its service, and with the heads that it was asked with."""

    service = ""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("x-service", self.service)
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


@contextmanager
def _nginx(configuration: str, folder: Path, port: int) -> Iterator[None]:
    """nginx as the chart starts it; its temporary files are in the folder."""
    file = folder / "nginx.conf"
    file.write_text(configuration.replace("/tmp/", f"{folder}/"), "utf-8")
    running = subprocess.Popen(["nginx", "-c", file, "-g", "daemon off;"], stderr=subprocess.PIPE, text=True)
    try:
        _await_port(running, port)
        yield
    finally:
        running.terminate()
        running.communicate(timeout=START_SECONDS)


def _await_port(running: "subprocess.Popen[str]", port: int) -> None:
    pause = threading.Event()
    for _ in range(int(START_SECONDS / 0.05)):
        assert running.poll() is None, running.communicate()[1]
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            pause.wait(0.05)
        else:
            return
    pytest.fail("nginx takes no connection")


@pytest.fixture(scope="module")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of the front door, with a stand-in for each service behind it."""
    require_programs("nginx")
    configuration = at(of_kind("everything", "ConfigMap")["sre-front-door"], "data", dict)["nginx.conf"]
    assert isinstance(configuration, str)
    port = free_port()
    with ExitStack() as stack:
        for name in SERVICES:
            behind = stack.enter_context(_service(name))
            configuration = configuration.replace(f"http://sre-{name}:8080", f"http://127.0.0.1:{behind}")
        configuration = re.sub(r"listen [^;]+", f"listen 127.0.0.1:{port}", configuration)
        stack.enter_context(_nginx(configuration, tmp_path_factory.mktemp("front-door"), port))
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
