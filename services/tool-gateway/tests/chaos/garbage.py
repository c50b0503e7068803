"""What a broken server says in the place of the right answer."""

from collections.abc import Callable

type Spoil = Callable[[bytes], bytes]

EVERY_BYTE = bytes(number for number in range(256) if number not in b"\r\n")
PAGE = b"<!doctype html><html><body><h1>502 Bad Gateway</h1><p>password: hunter2-very-secret</p></body></html>"


def _of_another_id(right: bytes) -> bytes:
    return right.replace(b'"id": ', b'"id": 9999', 1)


CONTENTS: dict[str, Spoil] = {
    "no_json": lambda _: b"Segmentation fault. password: hunter2-very-secret",
    "half_json": lambda right: right[: len(right) // 2],
    "html": lambda _: PAGE,
    "wrong_id": _of_another_id,
    "binary": lambda _: EVERY_BYTE * 10,
    "empty": lambda _: b"",
    "null": lambda _: b"null",
    "batch": lambda right: b"[" + right + b"]",
    "deep": lambda _: b"[" * 100_000,
    "endless": lambda _: b"",
}
"""On any wire: a line of standard output, or a whole HTTP response with the status 200. `endless` has no end."""

STREAMS: dict[str, Spoil] = {
    "sse_no_json": lambda _: b"event: message\ndata: what?\n\n",
    "sse_wrong_id": lambda right: b"event: message\ndata: " + _of_another_id(right) + b"\n\n",
    "sse_unended": lambda right: b"event: message\ndata: " + right,
    "sse_cut": lambda right: b"event: message\ndata: " + right[: len(right) // 2],
    "sse_silent": lambda _: b": hello\n\n",
}
"""As a stream of events. Only those called `cut` end."""

NO_HTTP: dict[str, Spoil] = {
    "short_body": lambda right: (
        b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 999\r\n\r\n" + right
    ),
    "no_http": lambda _: EVERY_BYTE,
    "silent_end": lambda _: b"",
}
"""The bytes of the connection, which then ends."""
