"""Where sessions open and rest: what a reader that does not begin at the beginning is seeded by."""

from typing import ClassVar, Literal

from tarsy_contracts.events.execution import EndStatus
from tarsy_contracts.wire.message import Message, Value

type Phase = Literal["open", "rest"]


class Span(Value):
    """A part of the log in which a life of the session lies: from its opener to where it came to rest, inclusive."""

    first: int
    last: int


class AlertMark(Value):
    """Alerts of a session that others may join. `key` is that of the deduplication.

    `opened` is the inbox offset of the alert that started the session, `alerted` the highest of its alerts, and
    `alerted_ms` when that one came, in milliseconds since 1970.
    """

    key: str
    opened: int
    alerted: int
    alerted_ms: int


class SessionHead(Message):
    """A fact of the accepted log. The highest `number` of a session wins, no matter who wrote it and when.

    `offset` is where the event `event_id` with that number lies; `decided` the highest inbox offset decided for the
    session then. `spans` of an open session end with the life before; `offset` is the opener of this one. `alerts`:
    where alerts with the same key may join the session. `ended`: how its investigation ended; None before that, and in
    heads of writers that did not know it yet.
    """

    type: ClassVar[str] = "session.head"
    phase: Phase
    number: int
    offset: int
    event_id: str
    decided: int
    spans: tuple[Span, ...]
    alerts: AlertMark | None = None
    ended: EndStatus | None = None


def head_key(session_id: str, number: int) -> str:
    return f"{session_id}/{number}"


def session_of_head_key(key: str) -> str:
    return key.rpartition("/")[0]
