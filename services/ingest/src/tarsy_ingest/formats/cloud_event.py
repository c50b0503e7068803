"""CloudEvents 1.0, over HTTP and on the alerts topic: structured (JSON), binary (headers), or several in a batch."""

import base64
import json
import re
from collections.abc import Mapping
from urllib.parse import unquote

from pydantic import Field, JsonValue

from tarsy_contracts.wire.ids import session_of_cloudevent
from tarsy_ingest.alert_rules import AlertTypes
from tarsy_ingest.formats.alert_format import AlertBody, AlertFormat, Notice, Notices
from tarsy_ingest.formats.lenient_submission import submission_in
from tarsy_ingest.formats.media_types import MediaTypes, media_type_of
from tarsy_ingest.formats.plain_text import text_of
from tarsy_ingest.raw_alert import AlertRejectedError, Payload, RawAlert, check_size, parse_json, validate

SOURCE = "cloudevent"
CLOUD_EVENTS = "application/cloudevents"
STRUCTURED = f"{CLOUD_EVENTS}+json"
BATCH = f"{CLOUD_EVENTS}-batch+json"
HTTP_HEADER = "ce-"
RECORD_HEADER = "ce_"
IDENTITY = ("id", "source")
QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')


class CloudEventAttributes(Payload):
    """`type` chooses the chain when one names it."""

    id: str = Field(min_length=1)
    source: str = Field(min_length=1)
    type: str = ""
    subject: str | None = None


class Structured(CloudEventAttributes):
    data: JsonValue = None
    data_base64: str | None = None


def is_binary(headers: Mapping[str, str]) -> bool:
    """Whether the headers are an event's, and the body its data."""
    if media_type_of(headers).startswith(CLOUD_EVENTS):
        return False
    return any(f"{prefix}{name}" in headers for prefix in (HTTP_HEADER, RECORD_HEADER) for name in IDENTITY)


def read_events(body: AlertBody, types: AlertTypes) -> Notices:
    """Raises AlertRejectedError: of a batch with one event that is none, nothing is taken."""
    if is_binary(body.headers):
        return Notices((read_binary(body.headers, body.value, types, body.alert_type),))
    if not isinstance(body.value, list):
        return Notices((read_structured(body.value, types, body.alert_type),))
    return Notices(tuple(_read_event_of_batch(index, event, body, types) for index, event in enumerate(body.value)))


def read_structured(value: JsonValue, types: AlertTypes, requested: str | None = None) -> Notice:
    """Raises AlertRejectedError."""
    event = validate(Structured, value)
    if event.data_base64 is not None:
        return _to_notice(event, _decode_base64(event.data_base64), types, requested)
    if event.data is None:
        raise AlertRejectedError((("data",), "is missing"))
    return _to_notice(event, event.data, types, requested)


def read_binary(
    headers: Mapping[str, str], value: JsonValue, types: AlertTypes, requested: str | None = None
) -> Notice:
    """`value`: the data. Raises AlertRejectedError."""
    attributes: dict[str, JsonValue] = {}
    for name, text in headers.items():
        if name.startswith(HTTP_HEADER):
            attributes[name.removeprefix(HTTP_HEADER)] = _decode_http_header(text)
        elif name.startswith(RECORD_HEADER):
            attributes[name.removeprefix(RECORD_HEADER)] = text
    return _to_notice(validate(CloudEventAttributes, attributes), value, types, requested)


def _decode_http_header(text: str) -> str:
    """The HTTP binding percent-encodes characters beyond ASCII, and the value may be quoted."""
    if QUOTED.fullmatch(text):
        text = re.sub(r"\\(.)", r"\1", text[1:-1])
    return unquote(text)


def _read_event_of_batch(index: int, event: JsonValue, body: AlertBody, types: AlertTypes) -> Notice:
    try:
        return read_structured(event, types, body.alert_type)
    except AlertRejectedError as problem:
        raise type(problem)(*(((index, *path), text) for path, text in problem.mistakes)) from None


def _to_notice(event: CloudEventAttributes, data: JsonValue, types: AlertTypes, requested: str | None) -> Notice:
    """A type that somebody asks for by its name has to exist; that of the event is a hint."""
    check_size(data if isinstance(data, str) else json.dumps(data, ensure_ascii=False), ("data",))
    ours = submission_in(data)
    named = requested or (ours.submission.alert_type if ours else None)
    alert = RawAlert(
        session_id=session_of_cloudevent(source=event.source, id=event.id),
        alert_type=types.require(named) if named else types.best_match(event.type),
        data=ours.data if ours else data,
        source=SOURCE,
        author=event.source,
        title=event.subject or "",
        place=("data",),
    )
    chosen = ours.submission.apply_choices(alert) if ours else alert
    return Notice(SOURCE, chosen, f"The alert is queued as {alert.alert_type}.", event.id)


def _decode_base64(text: str) -> JsonValue:
    try:
        return _json_or_text(check_size(base64.b64decode(text, validate=True).decode(), ("data_base64",)))
    except ValueError:  # of base64 and of UTF-8: text beyond ASCII raises the plain one
        raise AlertRejectedError((("data_base64",), "is not the base64 form of UTF-8 text")) from None


def _json_or_text(text: str) -> JsonValue:
    try:
        return parse_json(text)
    except AlertRejectedError:
        return text


def _parse_body(raw: bytes, headers: Mapping[str, str]) -> JsonValue:
    """Data of a binary event may be anything; the event itself is JSON."""
    return _json_or_text(text_of(raw)) if is_binary(headers) else parse_json(raw)


def _is_cloud_event(value: JsonValue) -> bool:
    events = value if isinstance(value, list) else [value]
    return bool(events) and all(isinstance(event, dict) and "specversion" in event for event in events)


FORMAT = AlertFormat(
    source=SOURCE,
    summary="Take CloudEvents: each event is one session",
    body=Structured,
    matches=_is_cloud_event,
    read=read_events,
    media_types=MediaTypes((STRUCTURED, BATCH)),
    parse=_parse_body,
    has_own_type=is_binary,
)
