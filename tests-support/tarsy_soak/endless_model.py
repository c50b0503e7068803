"""An OpenAI-compatible provider whose answers never end: `python -m tarsy_soak.endless_model PORT`.

It is a process of its own, as it writes as fast as its callers read.
"""

import json
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import islice

from tarsy_soak.endless_answers import ENDLESS_ANSWERS

PIECES = 64
"""Pieces of one write."""
SEND_SECONDS = 600.0


class EndlessAnswers(BaseHTTPRequestHandler):
    """The model that a request names says which answer it gets; it ends when its caller hangs up, or reads no more."""

    timeout = SEND_SECONDS

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", "0"))))
        answer = ENDLESS_ANSWERS.get(str(body.get("model")))
        if answer is None:
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        self._pour(answer())

    def _pour(self, pieces: Iterator[bytes]) -> None:
        self.close_connection = True
        try:
            while True:
                self.wfile.write(b"".join(islice(pieces, PIECES)))
        except OSError:
            return

    def log_message(self, format: str, *args: object) -> None:
        """Logs nothing: the soak reports its own requests."""


def main() -> None:
    with ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), EndlessAnswers) as server:
        server.daemon_threads = True
        server.serve_forever()


if __name__ == "__main__":
    main()
