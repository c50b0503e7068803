"""Sessions that were set aside and the inputs that wait for them: what `tarsy.held` carries.

The topic has two kinds of records: a marker for each session, and each input with headers that say where it lay in the
inbox. Both get tombstones when the session returns.
"""

from datetime import datetime
from typing import ClassVar

from tarsy_contracts.wire.envelope import Headers
from tarsy_contracts.wire.header_numbers import read_number, read_time
from tarsy_contracts.wire.message import Message

OFFSET_HEADER = "held-offset"
TIME_HEADER = "held-time"

REASONS: dict[str, str] = {
    "newer_input": "an input of a type that this version does not know",
    "newer_event": "an event of a type that this version does not know",
    "decision": "a decision on an input failed",
    "evolve": "an event could not be read back",
    "work": "what the session owes could not be made",
}


class SessionSetAside(Message):
    """The session gets no decisions until an operator releases it, or newer code that knows the type owns it.

    `reason` is a key of REASONS, or a later one. `needs_type`: the input's, when only newer code knows it.
    """

    type: ClassVar[str] = "session.set_aside"
    reason: str
    detail: str
    needs_type: str = ""
    needs_version: int = 0


def marker_key(session_id: str) -> str:
    return f"session/{session_id}"


def input_key(session_id: str, offset: int) -> str:
    return f"input/{offset}/{session_id}"


def session_of_marker(key: str) -> str | None:
    """None when it is the key of something else."""
    kind, _, session_id = key.partition("/")
    return session_id if kind == "session" else None


def session_and_offset(key: str) -> tuple[str, int] | None:
    """None when it is not the key of an input."""
    kind, _, rest = key.partition("/")
    offset, _, session_id = rest.partition("/")
    number = read_number(offset.encode()) if kind == "input" else None
    return None if number is None else (session_id, number)


def position_headers(offset: int, appended_at: datetime) -> Headers:
    """Where the input lay in the inbox, and since when."""
    return [
        (OFFSET_HEADER, str(offset).encode()),
        (TIME_HEADER, str(int(appended_at.timestamp() * 1000)).encode()),
    ]


def read_held_since(headers: Headers) -> datetime | None:
    """When the input came to the inbox."""
    return read_time(dict(headers).get(TIME_HEADER))


def own_headers(headers: Headers) -> Headers:
    """Those that the input had in the inbox."""
    return [(name, value) for name, value in headers if name not in (OFFSET_HEADER, TIME_HEADER)]
