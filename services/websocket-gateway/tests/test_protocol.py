"""Messages of clients: those that cannot be read are answered with what is wrong."""

import pytest

from tarsy_websocket_gateway.clients.protocol import NO_OBJECT, InvalidMessageError, read_action


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", f"{NO_OBJECT}: Invalid JSON"),
        ("subscribe", f"{NO_OBJECT}: Invalid JSON"),
        ("[" * 4_000, f"{NO_OBJECT}: Invalid JSON"),
        ("[]", f"{NO_OBJECT}: Input should be an object"),
        ('{"action": "boom"}', "/action: Input should be"),
        ('{"action": "subscribe", "channel": "session:"}', "channel must be"),
        ('{"action": "catchup", "channel": "session:s-1", "last_event_id": -1}', "/last_event_id: Input should be"),
        ('{"action": "ping"}' + " " * 4_096, "a message may have 4096 characters"),
    ],
)
def test_a_message_that_cannot_be_read_is_answered_with_what_is_wrong(text: str, reason: str) -> None:
    with pytest.raises(InvalidMessageError) as refused:
        read_action(text)
    assert str(refused.value).startswith(reason)
