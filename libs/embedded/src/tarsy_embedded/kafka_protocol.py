"""The few Kafka requests of the embedded broker, written by hand: no client is needed to start it."""

import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager

from tarsy_embedded.errors import EmbeddedError
from tarsy_embedded.kafka_sasl import MECHANISM, USER

_SASL_HANDSHAKE, _API_VERSIONS, _SASL_AUTHENTICATE, _UNREGISTER_BROKER = 17, 18, 36, 64
_CORRELATION = 0x7A757379
_NO_CLIENT_ID = -1
_NO_TAGS = b"\0"
_LARGEST_ANSWER = 64 * 1024


class RequestRefusedError(EmbeddedError):
    """The broker answered with an error, or with something else. The caller treats it as no answer."""


NO_SUCCESS = (OSError, RequestRefusedError)
"""Errors of a request: nobody answered, or not with success."""


def answers_api_versions(port: int, seconds: float = 1.0) -> bool:
    """The port listens before the broker works: only an answer counts."""
    try:
        with _open_connection(port, seconds) as connection:
            _require_success(_ask(connection, _API_VERSIONS, 0))
    except NO_SUCCESS:
        return False
    return True


def unregister_broker(controller_port: int, broker: int, password: str | None, seconds: float = 5.0) -> None:
    """Removes the registration of a broker from its controller; with a password, as USER. Raises NO_SUCCESS."""
    with _open_connection(controller_port, seconds) as connection:
        if password is not None:
            _authenticate(connection, password)
        answer = _ask(connection, _UNREGISTER_BROKER, 0, _NO_TAGS + struct.pack(">i", broker) + _NO_TAGS)
        # The tags of its header stand before the error code, and the time for which it throttled us.
        _require_success(answer[5:])


def _authenticate(connection: socket.socket, password: str) -> None:
    mechanism = MECHANISM.encode()
    _require_success(_ask(connection, _SASL_HANDSHAKE, 1, struct.pack(">h", len(mechanism)) + mechanism))
    proof = f"\0{USER}\0{password}".encode()
    _require_success(_ask(connection, _SASL_AUTHENTICATE, 1, struct.pack(">i", len(proof)) + proof))


@contextmanager
def _open_connection(port: int, seconds: float) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", port), seconds) as connection:
        connection.settimeout(seconds)
        yield connection


def _ask(connection: socket.socket, kind: int, version: int, body: bytes = b"") -> bytes:
    """The answer behind its correlation id."""
    request = struct.pack(">hhih", kind, version, _CORRELATION, _NO_CLIENT_ID) + body
    connection.sendall(struct.pack(">i", len(request)) + request)
    size, correlation = struct.unpack(">ii", _receive_exactly(connection, 8))
    if correlation != _CORRELATION or not 4 <= size <= _LARGEST_ANSWER:
        raise RequestRefusedError("no answer of Kafka")
    return _receive_exactly(connection, size - 4)


def _require_success(answer: bytes) -> None:
    """The error code comes first in every answer here."""
    if len(answer) < 2 or (code := int.from_bytes(answer[:2], signed=True)) != 0:
        raise RequestRefusedError(f"Kafka refused: error {code if len(answer) >= 2 else 'unknown'}")


def _receive_exactly(connection: socket.socket, size: int) -> bytes:
    received = b""
    while len(received) < size:
        piece = connection.recv(size - len(received))
        if not piece:
            raise RequestRefusedError("Kafka closed the connection")
        received += piece
    return received
