"""Parser of records of the alerts topic, which strangers write, with kcat or whatever they have."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from tarsy_bus.dead_letters.burial import origin_of
from tarsy_bus.readers.partition_reader import Record
from tarsy_contracts.wire.ids import session_of_record
from tarsy_ingest.alert_choices import mistakes_in_provider
from tarsy_ingest.alert_rules import AlertRules
from tarsy_ingest.formats import cloud_event
from tarsy_ingest.formats.alert_format import AlertBody, AlertFormat, Notice
from tarsy_ingest.formats.alert_formats import FORMATS
from tarsy_ingest.formats.charsets import to_utf8
from tarsy_ingest.formats.cloud_event import RECORD_HEADER, is_binary
from tarsy_ingest.formats.lenient_submission import looks_like_submission, read_leniently
from tarsy_ingest.formats.media_types import TEXT, media_type_of
from tarsy_ingest.formats.plain_text import text_of
from tarsy_ingest.raw_alert import AlertRejectedError, RawAlert, check_size, parse_json

AUTHOR = "kafka"
CONTENT_TYPE = "content-type"
FRAME_BYTES = 5


@dataclass(frozen=True, slots=True)
class RecordPosition:
    """The position of a record, or its position before it was re-driven. `cluster` tells the same topic of two clusters
    apart.
    """

    cluster: str
    topic: str
    partition: int
    offset: int

    @classmethod
    def of(cls, record: Record, cluster: str) -> "RecordPosition":
        """A re-driven record keeps the position that it had first: the same alert meets its session."""
        origin = origin_of(record)
        if origin is None or origin.cluster != cluster:
            return cls(cluster, record.topic, record.partition, record.offset)
        return cls(cluster, origin.topic, origin.partition, origin.offset)

    def session_id(self) -> str:
        return session_of_record(cluster=self.cluster, topic=self.topic, partition=self.partition, offset=self.offset)

    def __str__(self) -> str:
        return f"{self.cluster}/{self.topic}/{self.partition}/{self.offset}"


@dataclass(frozen=True, slots=True)
class ReadRecord:
    """The alerts of a record, and the name of the format that it was recognised as."""

    recognised: str
    notices: tuple[Notice, ...]


def read_record(
    raw: bytes | None, headers: Sequence[tuple[str, bytes | None]], position: RecordPosition, rules: AlertRules
) -> ReadRecord:
    """Reads the alerts of a record. Raises AlertRejectedError.

    The headers come first, then its shape. A form that is known must have the right fields.
    Anything else is text for the agent, as it is.
    """
    body_headers = {name.lower(): _decode_header(name.lower(), value) for name, value in headers if _is_known(name)}
    text, session_id = _decode_text(raw or b"", body_headers), position.session_id()
    if is_binary(body_headers):
        return _read_by_format(
            cloud_event.FORMAT, AlertBody(value=_json_or_text(text), session_id=session_id, headers=body_headers), rules
        )
    media_type = media_type_of(body_headers)
    if media_type in (cloud_event.STRUCTURED, cloud_event.BATCH):
        return _read_by_format(
            cloud_event.FORMAT, AlertBody(value=parse_json(text), session_id=session_id, headers=body_headers), rules
        )
    value = None if TEXT.include(media_type) else unwrap(_json_or_text(text))
    for form in FORMATS:
        if form.matches(value):
            return _read_by_format(form, AlertBody(value=value, session_id=session_id, headers={}), rules)
    if looks_like_submission(value):
        return _read_own_alert("submission", _read_submitted(value, session_id, rules))
    return _read_own_alert("text", _read_plain_text(value if isinstance(value, str) else text, session_id, rules))


def _decode_text(raw: bytes, headers: Mapping[str, str]) -> str:
    """No alert is lost for its content type: a charset that is not right is passed over where the text is UTF-8."""
    try:
        decoded = to_utf8(raw, headers)
    except AlertRejectedError:
        decoded = raw
    return text_of(strip_frame(decoded))


def strip_frame(raw: bytes) -> bytes:
    """Without the five bytes with which Confluent's serializers name a schema. Raises AlertRejectedError."""
    if len(raw) <= FRAME_BYTES or raw[0] != 0:
        return raw
    inside = raw[FRAME_BYTES:]
    if inside.lstrip()[:1] not in (b"{", b"[", b'"'):
        raise AlertRejectedError(((), "is in Confluent's frame and no JSON: Avro and Protobuf cannot be read"))
    return inside


def unwrap(value: JsonValue) -> JsonValue:
    """The value inside of the `schema` and `payload` of Connect's converter, or of a text that is JSON."""
    if isinstance(value, dict) and value.keys() == {"schema", "payload"}:
        value = value["payload"]
    return _json_or_text(value) if isinstance(value, str) and value.strip() else value


def _read_by_format(form: AlertFormat, body: AlertBody, rules: AlertRules) -> ReadRecord:
    return ReadRecord(form.source, form.read(body, rules.types).notices)


def _read_own_alert(recognised: str, alert: RawAlert) -> ReadRecord:
    return ReadRecord(recognised, (Notice(alert.source, alert),))


def _is_known(name: str) -> bool:
    return name.lower() == CONTENT_TYPE or name.lower().startswith(RECORD_HEADER)


def _read_submitted(value: dict[str, JsonValue], session_id: str, rules: AlertRules) -> RawAlert:
    found = read_leniently(value)
    check_size(found.submission.data, ("data",))
    if mistakes := mistakes_in_provider(found.submission.llm_provider, rules.llm_providers):
        raise AlertRejectedError(*mistakes)
    alert = RawAlert(
        session_id=session_id,
        alert_type=rules.types.require(found.submission.alert_type or None),
        data=found.data,
        source="kafka",
        author=AUTHOR,
        place=("data",),
        same="content",
    )
    return found.submission.apply_choices(alert)


def _read_plain_text(text: str, session_id: str, rules: AlertRules) -> RawAlert:
    return RawAlert(
        session_id=session_id,
        alert_type=rules.types.require(None),
        data=text,
        source="kafka",
        author=AUTHOR,
        same="content",
    )


def _decode_header(name: str, raw: bytes | None) -> str:
    """No alert is lost for its content type."""
    if name == CONTENT_TYPE:
        return (raw or b"").decode(errors="replace")
    try:
        return (raw or b"").decode()
    except UnicodeDecodeError:
        raise AlertRejectedError(((name,), "is a header that is not UTF-8 text")) from None


def _json_or_text(text: str) -> JsonValue:
    """The text itself where it is no JSON."""
    try:
        return parse_json(text)
    except AlertRejectedError:
        return text
