"""Ports below the range from which the system takes outgoing ones."""

import random
import socket

from tarsy_embedded.errors import PortTakenError

# Linux hands out 32768 and above to outgoing connections: a server's port up there may be taken by the time it starts.
_PORTS = range(20000, 32000)


def is_taken(port: int) -> bool:
    with socket.socket() as probe:
        # As the servers do: connections of a predecessor that linger in TIME_WAIT do not count.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return True
    return False


def require_free(port: int, server: str) -> None:
    if is_taken(port):
        raise PortTakenError(port, server)


def free_port() -> int:
    """A port that nobody listens on now. Random, so that two test sessions at once rarely meet."""
    for port in random.sample(_PORTS, 100):
        if not is_taken(port):
            return port
    raise OSError("a hundred random ports from 20000 to 32000 were all taken")
