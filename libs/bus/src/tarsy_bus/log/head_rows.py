"""Heads in as few bytes as they take: how a store keeps them, and how a take-over reads a million of them.

A row is the session and the head. Both begin with the bytes that a database compares. A head begins with its event's
number, so the greater of two rows is the newer head.
"""

import re
import struct
from typing import get_args
from uuid import UUID

from tarsy_contracts.events.execution import EndStatus
from tarsy_contracts.events.heads import AlertMark, Phase, SessionHead, Span

SESSION_BYTES = 16
PACKED, AS_JSON, WITH_ALERTS = 0, 1, 2
NUMBER = struct.Struct(">q")
LEAD = struct.Struct(">qB")
FACTS = struct.Struct(">qBqq16sB")
"""Number, form, offset, decided, the event's id, and the place of `ended` in ENDINGS."""
ENDINGS: tuple[EndStatus | None, ...] = (None, *get_args(EndStatus.__value__))
ALERTS = struct.Struct(">16sqqq")
"""Key, opened, alerted, alerted_ms."""
KEY_BYTES = 16
JOINABLE = struct.Struct(">qq16sqqB")
"""The session that alerts with a key meet: opened, number, session, alerted, alerted_ms, whether it was deleted.

It begins with what a database compares: the latest session wins, and of one session the newest head."""
SPAN_PLACES = struct.Struct(">qq")
MOST = 10**18
"""Numbers below have eight bytes."""
CANONICAL = re.compile("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


def pack_session(session_id: str) -> bytes | str:
    """16 bytes where it is a UUID in its canonical form, else the text. No two sessions share one."""
    return bytes.fromhex(session_id.replace("-", "")) if CANONICAL.fullmatch(session_id) else session_id


def unpack_session(packed: bytes | str) -> str:
    return packed if isinstance(packed, str) else str(UUID(bytes=packed))


def pack_head(head: SessionHead) -> bytes:
    """The bytes of a head at rest."""
    if re.fullmatch("[0-9a-f]{32}", head.event_id) is None:
        return LEAD.pack(head.number, AS_JSON) + head.to_bytes()
    alerts = head.alerts
    if alerts is not None and CANONICAL.fullmatch(alerts.key) is None:
        return LEAD.pack(head.number, AS_JSON) + head.to_bytes()
    form = PACKED if alerts is None else WITH_ALERTS
    facts = FACTS.pack(
        head.number, form, head.offset, head.decided, bytes.fromhex(head.event_id), ENDINGS.index(head.ended)
    )
    facts += b"" if alerts is None else pack_alerts(alerts)
    lies = [offset_of_span for span in head.spans for offset_of_span in (span.first, span.last)]
    return facts + struct.pack(f">{len(lies)}q", *lies)


def unpack_head(packed: bytes, phase: Phase = "rest") -> SessionHead:
    number, form = LEAD.unpack_from(packed)
    if form == AS_JSON:
        return SessionHead.model_validate_json(packed[LEAD.size :])
    _, _, offset, decided, event_id, ended = FACTS.unpack_from(packed)
    begin = FACTS.size + (ALERTS.size if form == WITH_ALERTS else 0)
    lies = struct.unpack(f">{(len(packed) - begin) // 8}q", packed[begin:])
    spans = tuple(Span(first=first, last=last) for first, last in zip(lies[::2], lies[1::2], strict=True))
    return SessionHead(
        phase=phase,
        number=number,
        offset=offset,
        event_id=event_id.hex(),
        decided=decided,
        spans=spans,
        alerts=_unpack_alerts(packed) if form == WITH_ALERTS else None,
        ended=ENDINGS[ended],
    )


def fits_row(head: SessionHead) -> bool:
    """Whether all of its numbers are such as an event, an offset or a time has. Somebody else may write others."""
    numbers = [head.offset, *(offset for span in head.spans for offset in (span.first, span.last))]
    if head.alerts is not None:
        numbers += [head.alerts.alerted_ms, head.alerts.opened + 1, head.alerts.alerted + 1]
    return 1 <= head.number < MOST and all(0 <= number < MOST for number in (*numbers, head.decided + 1))


def number_of(packed: bytes) -> int:
    number: int = NUMBER.unpack_from(packed)[0]
    return number


def pack_alerts(alerts: AlertMark) -> bytes:
    key = bytes.fromhex(alerts.key.replace("-", ""))
    return ALERTS.pack(key, alerts.opened, alerts.alerted, alerts.alerted_ms)


def _unpack_alerts(packed: bytes) -> AlertMark:
    key, opened, alerted, alerted_ms = ALERTS.unpack_from(packed, FACTS.size)
    return AlertMark(key=str(UUID(bytes=key)), opened=opened, alerted=alerted, alerted_ms=alerted_ms)
