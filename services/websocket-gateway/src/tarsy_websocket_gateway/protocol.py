"""What a client may say: pure."""

import re

from pydantic import ValidationError

from tarsy_contracts.api.websocket import ClientAction
from tarsy_websocket_gateway.hub import SESSIONS

MOST_CHARACTERS = 4_096
CHANNEL = re.compile(r"session:(?P<session_id>[A-Za-z0-9._-]{1,200})")


class Wrong(Exception):
    """The message is for the client."""


def read_action(text: str) -> ClientAction:
    """Raises Wrong."""
    if len(text) > MOST_CHARACTERS:
        raise Wrong(f"a message may have {MOST_CHARACTERS} characters at most")
    try:
        action = ClientAction.model_validate_json(text)
    except ValidationError as problem:
        first = problem.errors(include_url=False, include_input=False)[0]
        raise Wrong("/".join(["", *map(str, first["loc"])]) + f": {first['msg']}") from None
    if action.action != "ping" and action.channel != SESSIONS:
        session_of(action.channel)
    return action


def session_of(channel: str) -> str:
    """Raises Wrong for anything but `session:` and an id."""
    found = CHANNEL.fullmatch(channel)
    if found is None:
        raise Wrong("channel must be 'sessions' or 'session:ID'")
    return found["session_id"]
