"""Text frames of a WebSocket: encoded once for all clients, and written past the layers that look at each message.

Frames of a server are not masked, and nothing is compressed here: their bytes are the same for each client.
"""

import struct
from collections.abc import Sequence
from typing import Protocol

from starlette.requests import HTTPConnection

FRAMES = "tarsy.frames"
"""Extension in the scope of a WebSocket: who writes its frames. Every server of `http_server` has it."""
TEXT = 0x81
"""A text frame that is a whole message."""
SHORT, MEDIUM = 126, 1 << 16
"""From so many bytes on, the length takes two bytes, or eight."""


class FrameWriter(Protocol):
    """Writes to one client, once its connection was accepted."""

    @property
    def is_writable(self) -> bool:
        """False while the client does not read what was written."""

    async def until_writable(self) -> None:
        """Returns when the client has read most of it, or has gone."""

    def write_frames(self, frames: Sequence[bytes]) -> None:
        """Does not wait. Whole frames; they are dropped once either side has begun to close."""


def text_frame(text: str) -> bytes:
    payload = text.encode()
    size = len(payload)
    if size < SHORT:
        return struct.pack(">BB", TEXT, size) + payload
    if size < MEDIUM:
        return struct.pack(">BBH", TEXT, 126, size) + payload
    return struct.pack(">BBQ", TEXT, 127, size) + payload


def frame_text(frame: bytes) -> str:
    """The text of a frame that `text_frame` made."""
    begin = {126: 4, 127: 10}.get(frame[1], 2)
    return frame[begin:].decode()


def frame_writer(websocket: HTTPConnection) -> FrameWriter:
    writer: FrameWriter = websocket.scope["extensions"][FRAMES]
    return writer
