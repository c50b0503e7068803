"""The client of the conformance suite as a fork of a process that has imported it: the imports take a second each time.

`forked_client.py SOCKET serve` forks; `forked_client.py SOCKET URL` is what the suite starts instead of `client.py`.
"""

import os
import signal
import socket
import sys
import traceback
from collections.abc import Callable
from typing import NoReturn

LONGEST_BYTES = 65_536
SEPARATOR = "\0"
ASKED = ("MCP_CONFORMANCE_CONTEXT", "MCP_CONFORMANCE_SCENARIO")
FAILED = b"1"


def ask(path: str, url: str) -> int:
    """The exit code of the client. It writes to the output of this process."""
    with socket.socket(socket.AF_UNIX) as server:
        server.connect(path)
        asked = SEPARATOR.join([url, *(os.environ.get(name, "") for name in ASKED)])
        socket.send_fds(server, [asked.encode()], [sys.stdout.fileno(), sys.stderr.fileno()])
        return int(server.recv(1) or FAILED)


def serve(path: str) -> None:
    # Here, as who asks does without it.
    import client

    # Nobody waits for forks: who asked does.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()
        while True:
            asking, _ = listener.accept()
            if os.fork() == 0:
                answer(asking, client.run)
            asking.close()


def answer(asking: socket.socket, run: Callable[[str, str, str], None]) -> NoReturn:
    """Never returns: the fork ends with its client."""
    code = 1
    try:
        asked, outputs, _, _ = socket.recv_fds(asking, LONGEST_BYTES, 2)
        for output, descriptor in zip(outputs, (1, 2), strict=True):
            os.dup2(output, descriptor)
        url, context, scenario = asked.decode().split(SEPARATOR)
        run(url, scenario, context or "{}")
        code = 0
    finally:
        if code:
            traceback.print_exc()
        sys.stdout.flush()
        sys.stderr.flush()
        asking.sendall(str(code).encode())
        os._exit(code)


if __name__ == "__main__":
    if sys.argv[2] == "serve":
        serve(sys.argv[1])
    else:
        sys.exit(ask(sys.argv[1], sys.argv[2]))
