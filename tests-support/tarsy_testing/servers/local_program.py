"""A program of the machine that listens on a port, for as long as a test needs it."""

import os
import signal
import socket
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from tarsy_processes.child import ChildProcess

HOST = "127.0.0.1"
SECONDS = 30.0
LOOK_SECONDS = 0.05


@contextmanager
def listening(
    command: Sequence[str | Path], port: int, log: Path, environment: Mapping[str, str] | None = None
) -> Iterator[None]:
    """Until the port takes a connection. `log` gets what the program says."""
    running = ChildProcess(
        list(map(str, command)),
        log=log,
        death_signal=signal.SIGTERM,
        folder=log.parent,
        environment=os.environ if environment is None else environment,
    )
    try:
        _await_port(running, port)
        yield
    finally:
        running.stop(signal.SIGTERM)


def _await_port(running: ChildProcess, port: int) -> None:
    pause = threading.Event()
    for _ in range(int(SECONDS / LOOK_SECONDS)):
        assert running.poll_exit() is None, running.log.read_text("utf-8")
        try:
            socket.create_connection((HOST, port), timeout=1).close()
        except OSError:
            pause.wait(LOOK_SECONDS)
        else:
            return
    pytest.fail(f"nothing listens on {port}: {running.log.read_text('utf-8')}")
