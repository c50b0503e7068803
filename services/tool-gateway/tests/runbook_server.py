"""A server of the outside world that has runbooks, in a thread of the test."""

import ssl
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tarsy_processes.ports import free_port


@dataclass(frozen=True)
class Answer:
    """`never`: nothing comes. `endless`: the body is repeated until nobody reads it."""

    body: bytes = b"# Runbook\n"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: {"Content-Type": "text/plain; charset=utf-8"})
    never: bool = False
    endless: bool = False


@dataclass(frozen=True)
class Asked:
    path: str
    headers: Message


class RunbookServer:
    """What is asked for and has no answer here is not found."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.answers: dict[str, Answer] = {}
        self.asked: list[Asked] = []
        self.over = threading.Event()

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    def url(self, path: str, answer: Answer | None = None) -> str:
        """Where the path is, from now on with this answer."""
        if answer is not None:
            self.answers[path] = answer
        return f"http://{self.host}{path}"

    def redirect(self, path: str, to: str, status: int = 302) -> str:
        return self.url(path, Answer(b"", status, {"Location": to}))


@contextmanager
def runbook_server(*tls: Path) -> Iterator[RunbookServer]:
    """`tls`: certificate and key."""
    found: RunbookServer

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found.asked.append(Asked(self.path, self.headers))
            answer = found.answers.get(self.path, Answer(b"not here", 404))
            if answer.never:
                found.over.wait()
                return
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            if not answer.endless:
                self.send_header("Content-Length", str(len(answer.body)))
            self.end_headers()
            with suppress(OSError):
                self.wfile.write(answer.body)
                while answer.endless and not found.over.is_set():
                    self.wfile.write(answer.body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", free_port()), Handler)
    server.daemon_threads = True
    server.handle_error = lambda *_: None  # type: ignore[method-assign]  # who gave up in the handshake
    if tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(tls[0], tls[1])
        server.socket = context.wrap_socket(server.socket, server_side=True)
    found = RunbookServer(server.server_port)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield found
    finally:
        found.over.set()
        server.shutdown()
        thread.join()
        server.server_close()
