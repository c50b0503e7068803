"""Text frames are those of any WebSocket library, byte for byte."""

import pytest
from websockets.frames import Frame, Opcode

from tarsy_service.http.websocket_frames import frame_text, text_frame


@pytest.mark.parametrize("size", [0, 1, 125, 126, 127, 65_535, 65_536, 200_000])
def test_a_frame_has_the_bytes_of_the_protocol_for_every_length(size: int) -> None:
    text = "x" * size
    assert text_frame(text) == Frame(Opcode.TEXT, text.encode()).serialize(mask=False)
    assert frame_text(text_frame(text)) == text


def test_its_length_is_counted_in_bytes() -> None:
    assert text_frame("ü" * 63) == Frame(Opcode.TEXT, ("ü" * 63).encode()).serialize(mask=False)
    assert frame_text(text_frame("ü" * 63)) == "ü" * 63
