"""Heads in as few bytes as they take: how a store keeps them, and how a take-over reads a million of them.

A row is the session and the head. Both begin with what a database compares: the head with the number of its event, so
that of two heads of one session the greater row is the newer head.
"""

import re
import struct
from binascii import unhexlify
from typing import NamedTuple

from tarsy_bus.partition_reader import Record
from tarsy_contracts.heads import Phase, SessionHead, Span

NUMBER = rb"(0|[1-9][0-9]{0,17})"
KEY = re.compile(rb"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/[0-9]+")
UUID_LENGTH = 36
SPAN = re.compile(rb'\{"first":' + NUMBER + rb',"last":' + NUMBER + rb"\}")
BODY = re.compile(
    rb'\{"phase":"(open|rest)","number":' + NUMBER + rb',"offset":' + NUMBER + rb',"event_id":"([0-9a-f]{32})",'
    rb'"decided":(-1|0|[1-9][0-9]{0,17}),"spans":\[(?:' + SPAN.pattern + rb"((?:," + SPAN.pattern + rb")*))?\]\}"
)
TYPE = ("ce_type", SessionHead.type.encode())
SCHEMA = ("ce_dataschema", SessionHead.dataschema().encode())
PACKED, AS_JSON = 0, 1
LEAD = struct.Struct(">qB")
FACTS = struct.Struct(">qBqq16s")
SPAN_PLACES = struct.Struct(">qq")


class HeadRow(NamedTuple):
    """A head as its record tells it. `session`: the 16 bytes of its id; `packed`: the head, but for its phase."""

    session: bytes
    packed: bytes
    phase: bytes
    offset: int
    decided: int


def row_of(record: Record) -> HeadRow | None:
    """The row of a record that is written exactly as our writers do; None of any other, which is to be decoded.

    It costs a tenth of decoding envelope and body.
    """
    headers = record.headers
    if record.value is None or len(headers) < 7 or headers[2] != TYPE or headers[6] != SCHEMA:
        return None
    key, body = KEY.fullmatch(record.key or b""), BODY.fullmatch(record.value)
    if key is None or body is None:
        return None
    phase, number, offset, event_id, decided, first, last, others = body.group(1, 2, 3, 4, 5, 6, 7, 8)
    at, inbox = int(offset), int(decided)
    packed = FACTS.pack(int(number), PACKED, at, inbox, unhexlify(event_id))
    if first is not None:
        packed += SPAN_PLACES.pack(int(first), int(last))
    if others:
        packed += b"".join(SPAN_PLACES.pack(int(one), int(two)) for one, two in SPAN.findall(others))
    session = unhexlify(key.group()[:UUID_LENGTH].replace(b"-", b""))
    return HeadRow(session, packed, phase, at, inbox)


def packed_session(session_id: str) -> bytes | str:
    """16 bytes where it is a UUID in its canonical form, else the text. No two sessions share one."""
    digits = session_id.replace("-", "")
    if len(session_id) == 36 and len(digits) == 32 and KEY.fullmatch(f"{session_id}/0".encode()):
        return bytes.fromhex(digits)
    return session_id


def packed_head(head: SessionHead) -> bytes:
    """Of a head at rest."""
    if re.fullmatch("[0-9a-f]{32}", head.event_id) is None:
        return LEAD.pack(head.number, AS_JSON) + head.to_bytes()
    facts = FACTS.pack(head.number, PACKED, head.offset, head.decided, bytes.fromhex(head.event_id))
    lies = [place for span in head.spans for place in (span.first, span.last)]
    return facts + struct.pack(f">{len(lies)}q", *lies)


def unpacked_head(packed: bytes, phase: Phase = "rest") -> SessionHead:
    number, form = LEAD.unpack_from(packed)
    if form == AS_JSON:
        return SessionHead.model_validate_json(packed[LEAD.size :])
    _, _, offset, decided, event_id = FACTS.unpack_from(packed)
    lies = struct.unpack(f">{(len(packed) - FACTS.size) // 8}q", packed[FACTS.size :])
    spans = tuple(Span(first=first, last=last) for first, last in zip(lies[::2], lies[1::2], strict=True))
    return SessionHead(phase=phase, number=number, offset=offset, event_id=event_id.hex(), decided=decided, spans=spans)
