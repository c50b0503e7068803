"""Parser of client messages: pure."""

import re

from pydantic import ValidationError

from tarsy_contracts.api.websocket import ClientAction
from tarsy_websocket_gateway.clients.hub import SESSIONS
from tarsy_websocket_gateway.errors import WebsocketGatewayError

MOST_CHARACTERS = 4_096
NO_OBJECT = "a message is one JSON object in a text frame"
CHANNEL = re.compile(r"session:[A-Za-z0-9._-]{1,200}")


class InvalidMessageError(WebsocketGatewayError):
    """The caller sent what is no action of ours; the message says why."""


def read_action(text: str) -> ClientAction:
    """Raises InvalidMessageError."""
    if len(text) > MOST_CHARACTERS:
        raise InvalidMessageError(f"a message may have {MOST_CHARACTERS} characters at most")
    try:
        action = ClientAction.model_validate_json(text)
    except ValidationError as problem:
        first = problem.errors(include_url=False, include_input=False)[0]
        pointer = "".join(f"/{part}" for part in first["loc"])
        raise InvalidMessageError(f"{pointer or NO_OBJECT}: {first['msg']}") from None
    if action.action != "ping" and action.channel != SESSIONS and CHANNEL.fullmatch(action.channel) is None:
        raise InvalidMessageError("channel must be 'sessions' or 'session:ID'")
    if action.action == "catchup" and action.last_event_id is None:
        raise InvalidMessageError("catchup needs last_event_id, the number of the last event that you have")
    return action
