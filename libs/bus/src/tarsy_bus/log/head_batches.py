"""Parser of heads in the bytes of record batches: one expression a record, and no objects of its parts.

A take-over reads every head, also of a million sessions at rest, and waits for each record here.
"""

import re
from binascii import unhexlify
from collections import defaultdict
from collections.abc import Callable
from functools import lru_cache

from tarsy_bus.client.aiokafka_internals.fetches import decode_varint
from tarsy_bus.client.record_parsing import HEADER
from tarsy_bus.log.head_rows import ALERTS, ENDINGS, FACTS, JOINABLE, PACKED, SPAN_PLACES, WITH_ALERTS
from tarsy_contracts.events.heads import SessionHead

NUMBER = rb"(0|[1-9][0-9]{0,17})"
SPAN = re.compile(rb'\{"first":' + NUMBER + rb',"last":' + NUMBER + rb"\}")
FURTHER_SPANS = rb"((?:," + SPAN.pattern.replace(b"(", b"(?:") + rb")*)"
UUID_TEXT = rb"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
INBOX = rb"(-1|0|[1-9][0-9]{0,17})"
ALERTS_FIELD = (
    rb'(?:,"alerts":(?:null|\{"key":"('
    + UUID_TEXT
    + rb')","opened":'
    + INBOX
    + rb',"alerted":'
    + INBOX
    + rb',"alerted_ms":'
    + NUMBER
    + rb"\}))?"
)
"""Heads of before have none."""
ENDED = {None if one is None else one.encode(): place for place, one in enumerate(ENDINGS)}
ENDED_FIELD = rb'(?:,"ended":(?:null|"(' + b"|".join(one for one in ENDED if one) + rb')"))?'
"""Nor this."""
BODY = (
    rb'\{"phase":"(open|rest)","number":' + NUMBER + rb',"offset":' + NUMBER + rb',"event_id":"([0-9a-f]{32})",'
    rb'"decided":(-1|0|[1-9][0-9]{0,17}),"spans":\[(?:'
    + SPAN.pattern
    + FURTHER_SPANS
    + rb")?\]"
    + ALERTS_FIELD
    + ENDED_FIELD
    + rb"\}"
)
VARINT = rb"[\x80-\xff]{0,4}[\x00-\x7f]"
KEY = rb"((" + UUID_TEXT + rb")/" + NUMBER + rb")"
BEGINNING = rb"(" + VARINT + rb")\x00" + VARINT + VARINT + VARINT + KEY
"""Length, attributes, deltas of time and offset, length of the key; the key."""
RECORD = re.compile(BEGINNING + VARINT + BODY)
TOMBSTONE = re.compile(BEGINNING + rb"\x01")


def _encode_header(name: str, value: str) -> bytes:
    """The value as in a record. Lengths below 64 are one byte: twice the number, as varints of Kafka have a sign."""
    return b"".join(bytes([2 * len(part)]) + part.encode() for part in (name, value))


SCHEMA = _encode_header("ce_dataschema", SessionHead.dataschema())
"""It names the type, too."""

type Belongs = Callable[[bytes], bool]
"""Whether a session, by the text of its id, lies in the partition that is read."""


class HeadRows:
    """Heads of any number of batches. `at_rest`: session and packed head in one piece, by the length of the head.

    `opened`: session and packed head of the others. `last` is the packed head at rest whose event lies furthest in the
    log, `decided` the highest inbox offset that a head at rest tells. `joinable`: key and session in one piece.
    `tombstones` by key, each ends the head with its key; `misplaced` are the keys of heads that were left out.
    """

    def __init__(self, belongs: Belongs) -> None:
        self._belongs = belongs
        self.tombstones: dict[bytes, tuple[bytes, int]] = {}
        self._ended: dict[bytes, int] = {}
        self.misplaced: list[bytes] = []
        self.at_rest: defaultdict[int, list[bytes]] = defaultdict(list)
        self.opened: list[tuple[bytes, bytes]] = []
        self.joinable: list[bytes] = []
        self.last = b""
        self.decided = -1
        self._last_offset = -1

    def take(self, batch: bytes) -> bool:
        """The heads of a batch without compression. Returns False when it stopped at a record of another form.

        Such a batch is to be decoded, which costs ten times as much: our writers write no other form.
        """
        at, end = HEADER.size, len(batch)
        while at < end:
            found = RECORD.match(batch, at) or TOMBSTONE.match(batch, at)
            if found is None:
                return False
            behind = at + _record_length(found.group(1))
            if behind < found.end():
                return False
            if found.re is TOMBSTONE:
                self._note_tombstone(*found.group(2, 3, 4))
            elif batch.find(SCHEMA, found.end(), behind) < 0 or not self._still_counts(found):
                return False
            elif self._belongs(found.group(3)):
                self._add_head(found)
            else:
                self.misplaced.append(found.group(2))
            at = behind
        return at == end

    def _still_counts(self, found: re.Match[bytes]) -> bool:
        """Its key is its own, and no tombstone stood here for it or a newer head: that has to be dropped first."""
        return found.group(4) == found.group(6) and int(found.group(4)) > self._ended.get(found.group(3), -1)

    def _note_tombstone(self, key: bytes, session: bytes, number: bytes) -> None:
        self.tombstones[key] = (_pack_session_id(session), int(number))
        self._ended[session] = max(self._ended.get(session, -1), int(number))

    def _add_head(self, found: re.Match[bytes]) -> None:
        _, _, id, _, phase, number, offset, event_id, decided, first, last, others, *alerts, ended = found.groups()
        session = _pack_session_id(id)
        at, inbox = int(offset), int(decided)
        form = PACKED if alerts[0] is None else WITH_ALERTS
        packed = FACTS.pack(int(number), form, at, inbox, unhexlify(event_id), ENDED[ended])
        if alerts[0] is not None:
            deduplicated, opened, alerted, at_ms = unhexlify(alerts[0].replace(b"-", b"")), *map(int, alerts[1:])
            packed += ALERTS.pack(deduplicated, opened, alerted, at_ms)
            if opened >= 0:
                deleted = phase == b"rest" and first is None
                joinable = JOINABLE.pack(opened, int(number), session, alerted, at_ms, deleted)
                self.joinable.append(deduplicated + joinable)
        if first is not None:
            packed += SPAN_PLACES.pack(int(first), int(last))
        if others:
            packed += b"".join(SPAN_PLACES.pack(int(one), int(two)) for one, two in SPAN.findall(others))
        if phase == b"open":
            self.opened.append((session, packed))
            return
        self.at_rest[len(packed)].append(session + packed)
        if at > self._last_offset or (at == self._last_offset and packed > self.last):
            self._last_offset, self.last = at, packed
        if inbox > self.decided:
            self.decided = inbox


def _pack_session_id(session_id: bytes) -> bytes:
    return unhexlify(session_id.replace(b"-", b""))


@lru_cache(maxsize=1024)
def _record_length(varint: bytes) -> int:
    """The length of a record, its own varint included."""
    length, behind = decode_varint(varint, 0)
    return int(length) + int(behind)
