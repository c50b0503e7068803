"""Ports below the range from which the system takes outgoing ones."""

import errno
import os
import random
import socket
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from tarsy_processes.errors import AddressUnusableError, PortTakenError

# Linux hands out 32768 and above to outgoing connections: a server's port up there may be taken by the time it starts.
_PORTS = range(20000, 32000)
_RESERVATIONS = Path(tempfile.gettempdir()) / f"tarsy-ports-{os.getuid()}"
_RESERVED_SECONDS = 300.0
LOOPBACK = "127.0.0.1"


def is_taken(port: int) -> bool:
    return _bind_error(LOOPBACK, port) is not None


def require_free(port: int, server: str, host: str = LOOPBACK) -> None:
    """Raises PortTakenError or AddressUnusableError."""
    problem = _bind_error(host, port)
    if problem is None:
        return
    if problem.errno == errno.EADDRINUSE:
        raise PortTakenError(port, server)
    raise AddressUnusableError(host, port, server, problem.strerror or str(problem))


def _bind_error(host: str, port: int) -> OSError | None:
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        # As the servers do: connections of a predecessor that linger in TIME_WAIT do not count.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as problem:
            return problem
    return None


def free_port() -> int:
    """A port that nobody listens on now, and that no other process of this user was given lately.

    A server listens some seconds after its port was picked: without the reservation two processes were given the same.
    """
    _RESERVATIONS.mkdir(mode=0o700, exist_ok=True)
    for port in random.sample(_PORTS, 100):
        if not is_taken(port) and _try_to_reserve(_RESERVATIONS / str(port)):
            return port
    raise OSError("a hundred random ports from 20000 to 32000 were all taken")


def _try_to_reserve(file: Path) -> bool:
    """One of several that try it at once succeeds."""
    with suppress(FileNotFoundError):
        if time.time() - file.stat().st_mtime > _RESERVED_SECONDS:
            file.unlink()
    try:
        file.touch(exist_ok=False)
    except FileExistsError:
        return False
    return True
