"""Frames of AWS event streams, as Amazon Bedrock sends them."""

import base64
import json
import struct
from binascii import crc32

from pydantic import JsonValue

EVENT_STREAM = "application/vnd.amazon.eventstream"


def frame(payload: JsonValue, **headers: str) -> bytes:
    """A message of an AWS event stream: prelude, headers, payload, both checksums."""
    body = json.dumps(payload).encode()
    named = b"".join(
        struct.pack("!B", len(name)) + name + b"\x07" + struct.pack("!H", len(value.encode())) + value.encode()
        for name, value in ((f":{name.replace('_', '-')}".encode(), value) for name, value in headers.items())
    )
    message = prelude(len(named) + len(body) + 16, len(named)) + named + body
    return message + struct.pack("!I", crc32(message))


def prelude(total: int, headers: int) -> bytes:
    """The beginning of a message of so many bytes."""
    lengths = struct.pack("!II", total, headers)
    return lengths + struct.pack("!I", crc32(lengths))


def event(kind: str, payload: JsonValue) -> bytes:
    return frame(payload, message_type="event", event_type=kind, content_type="application/json")


def exception(kind: str, message: str) -> bytes:
    return frame({"message": message}, message_type="exception", exception_type=kind)


def claude_frame(said: JsonValue) -> bytes:
    """As InvokeModelWithResponseStream sends an event of Claude."""
    return event("chunk", {"bytes": base64.b64encode(json.dumps(said).encode()).decode()})
