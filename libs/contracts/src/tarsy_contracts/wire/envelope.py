"""CloudEvents 1.0 in Kafka's binary mode: the headers of our messages."""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from tarsy_contracts.errors import ContractError
from tarsy_contracts.wire.message import Message

type Headers = list[tuple[str, bytes]]

DATASCHEMA = re.compile(r"urn:tarsy:(?P<type>[a-z_.]+):(?P<version>[1-9][0-9]{0,8})")
NUMBER = re.compile(r"-?[0-9]{1,18}")
ID_DIGITS = 32
REQUIRED = ("ce_specversion", "ce_id", "ce_type", "ce_source", "ce_subject", "ce_time", "ce_dataschema")
OPTIONAL = ("ce_sequence", "ce_previous", "ce_decided", "traceparent")


class EnvelopeError(ContractError, ValueError):
    """The headers of a record are not those of a message of ours. The caller buries the record."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """Source, type, subject and time of a message. `subject` is the session id, or what the topic is keyed by.

    Only the session log has `sequence`, `previous` and `decided`. They are the event's number in the session (from 1),
    the previous event's id, and the highest inbox offset decided for it.
    """

    id: str
    type: str
    version: int
    source: str
    subject: str
    time: datetime
    sequence: int | None = None
    previous: str | None = None
    decided: int | None = None
    traceparent: str | None = None

    def headers(self) -> Headers:
        pairs = [
            ("ce_specversion", "1.0"),
            ("ce_id", self.id),
            ("ce_type", self.type),
            ("ce_source", self.source),
            ("ce_subject", self.subject),
            ("ce_time", wire_time(self.time)),
            ("ce_dataschema", f"urn:tarsy:{self.type}:{self.version}"),
            ("content-type", "application/json"),
        ]
        optional = [
            ("ce_sequence", self.sequence),
            ("ce_previous", self.previous),
            ("ce_decided", self.decided),
            ("traceparent", self.traceparent),
        ]
        pairs += [(name, str(value)) for name, value in optional if value is not None]
        return [(name, value.encode()) for name, value in pairs]

    @classmethod
    def from_headers(cls, headers: Sequence[tuple[str, bytes]]) -> "Envelope":
        """Raises EnvelopeError, which says which header is missing or cannot be read. Headers of others are ignored."""
        found: dict[str, str] = {}
        for name, value in headers:
            if name not in REQUIRED and name not in OPTIONAL:
                continue
            try:
                found[name] = value.decode()
            except (UnicodeDecodeError, AttributeError):
                raise EnvelopeError(f"header {name} is not UTF-8 text") from None
        for name in REQUIRED:
            if not found.get(name):
                raise EnvelopeError(f"header {name} is missing")
        if found["ce_specversion"] != "1.0":
            raise EnvelopeError("header ce_specversion is not 1.0")
        schema = DATASCHEMA.fullmatch(found["ce_dataschema"])
        if schema is None or schema["type"] != found["ce_type"]:
            raise EnvelopeError("header ce_dataschema does not name the type and a version")
        return cls(
            id=found["ce_id"],
            type=found["ce_type"],
            version=int(schema["version"]),
            source=found["ce_source"],
            subject=found["ce_subject"],
            time=time_from_wire(found["ce_time"]),
            sequence=_read_number(found, "ce_sequence", least=1),
            previous=found.get("ce_previous"),
            decided=_read_number(found, "ce_decided", least=-1),
            traceparent=found.get("traceparent"),
        )


def envelope_of(
    message: Message, *, id: str, source: str, subject: str, time: datetime, traceparent: str | None = None
) -> Envelope:
    """The envelope of a message that is not an event of the log."""
    return Envelope(
        id=id,
        type=message.type,
        version=message.version,
        source=source,
        subject=subject,
        time=time,
        traceparent=traceparent,
    )


def event_id(*, previous: str | None, type: str, subject: str, sequence: int, time: datetime, value: bytes) -> str:
    """The id of an event of the log: a digest of its predecessor's id and its own bytes on the wire.

    Two writers that decide the same input on the same state write the same id. Never change this: readers compare.
    """
    digest = hashlib.sha256()
    for part in (previous or "", type, subject, str(sequence), wire_time(time)):
        digest.update(part.encode() + b"\n")
    digest.update(value)
    return digest.hexdigest()[:ID_DIGITS]


def wire_time(time: datetime) -> str:
    """RFC 3339 in UTC with milliseconds, the precision of Kafka's own stamps."""
    in_utc = time if time.tzinfo is UTC else time.astimezone(UTC)
    return in_utc.isoformat("T", "milliseconds").removesuffix("+00:00") + "Z"


def time_from_wire(text: str) -> datetime:
    """A time without an offset is refused: two machines would read it as two times. Raises EnvelopeError."""
    try:
        time = datetime.fromisoformat(text)
        if time.tzinfo is not None:
            return time.astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise EnvelopeError("header ce_time is not an RFC 3339 time")


def _read_number(found: dict[str, str], name: str, *, least: int) -> int | None:
    text = found.get(name)
    if text is None:
        return None
    if NUMBER.fullmatch(text) is None:
        raise EnvelopeError(f"header {name} is not a decimal number")
    number = int(text)
    if number < least:
        raise EnvelopeError(f"header {name} is below {least}")
    return number
