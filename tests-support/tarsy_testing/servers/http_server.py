"""An HTTP server of the outside world, in a thread of the test."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Quiet(BaseHTTPRequestHandler):
    """Answers POST; writes no log."""

    def body(self) -> bytes:
        return self.rfile.read(int(self.headers["Content-Length"]))

    def log_message(self, format: str, *args: object) -> None:
        pass


class Server(ThreadingHTTPServer):
    """Its thread may be late: more than five connections may wait for it, or the kernel lets them wait for seconds."""

    request_queue_size = 128
    daemon_threads = True


@contextmanager
def serving(handler: type[Quiet], *, port: int = 0) -> Iterator[str]:
    """Its address. Requests that are still being answered at the end are left to themselves."""
    server = Server(("127.0.0.1", port), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
