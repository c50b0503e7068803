"""A program of the machine that listens on a port, for as long as a test needs it."""

import socket
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

HOST = "127.0.0.1"
SECONDS = 30.0
LOOK_SECONDS = 0.05


@contextmanager
def listening(
    command: Sequence[str | Path], port: int, log: Path, environment: Mapping[str, str] | None = None
) -> Iterator[None]:
    """Until the port takes a connection. `log` gets what the program says."""
    with log.open("w", encoding="utf-8") as output:
        running = subprocess.Popen(command, env=environment, stdout=output, stderr=output)
    try:
        _await_port(running, port, log)
        yield
    finally:
        running.terminate()
        try:
            running.wait(SECONDS)
        except subprocess.TimeoutExpired:
            running.kill()
            running.wait(SECONDS)


def _await_port(running: "subprocess.Popen[bytes]", port: int, log: Path) -> None:
    pause = threading.Event()
    for _ in range(int(SECONDS / LOOK_SECONDS)):
        assert running.poll() is None, log.read_text("utf-8")
        try:
            socket.create_connection((HOST, port), timeout=1).close()
        except OSError:
            pause.wait(LOOK_SECONDS)
        else:
            return
    pytest.fail(f"nothing listens on {port}: {log.read_text('utf-8')}")
