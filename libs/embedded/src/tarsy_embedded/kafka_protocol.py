"""The one Kafka request that tells whether a broker is ready."""

import socket
import struct

_API_VERSIONS = 18
_CORRELATION = 0x7A757379
_NO_CLIENT_ID = -1


def answers_api_versions(port: int, seconds: float = 1.0) -> bool:
    """The port listens before the broker works: only an answer counts."""
    header = struct.pack(">hhih", _API_VERSIONS, 0, _CORRELATION, _NO_CLIENT_ID)
    try:
        with socket.create_connection(("127.0.0.1", port), seconds) as connection:
            connection.settimeout(seconds)
            connection.sendall(struct.pack(">i", len(header)) + header)
            answer = _receive(connection, 10)
    except OSError:
        return False
    if len(answer) < 10:
        return False
    _, correlation, error = struct.unpack(">iih", answer)
    return bool(correlation == _CORRELATION and error == 0)


def _receive(connection: socket.socket, size: int) -> bytes:
    received = b""
    while len(received) < size and (piece := connection.recv(size - len(received))):
        received += piece
    return received
