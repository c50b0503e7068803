"""The program that `helm test` runs."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from tarsy_processes.ports import free_port
from tarsy_testing.chart import CHART

PROGRAM = (CHART / "files" / "ready.py").read_text("utf-8").replace("LIMIT_SECONDS = 120", "LIMIT_SECONDS = 0")


@contextmanager
def _service(status: int) -> Iterator[str]:
    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.end_headers()
            self.wfile.write(b'{"waiting_for": ["kafka"]}')

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", free_port()), Answer)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/ready"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.parametrize(("status", "code", "told"), [(200, 0, "ready"), (503, 1, '{"waiting_for": ["kafka"]}')])
def test_it_says_whether_each_service_is_ready(status: int, code: int, told: str) -> None:
    with _service(status) as address:
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, address], capture_output=True, text=True, timeout=60, check=False
        )
    assert (done.returncode, done.stdout) == (code, f"{address}: {told}\n")


def test_a_service_that_nobody_runs_is_told_too() -> None:
    address = f"http://127.0.0.1:{free_port()}/ready"
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, address], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 1
    assert "refused" in done.stdout
