"""CloudEvents 1.0 on the alerts topic, structured (JSON) or binary (headers)."""

import base64
import binascii
from collections.abc import Mapping

from pydantic import Field, JsonValue

from tarsy_contracts.ids import session_of_cloudevent
from tarsy_ingest.alert_rules import AlertTypes
from tarsy_ingest.lenient_submission import submission_in
from tarsy_ingest.raw_alert import AlertRejectedError, Payload, RawAlert, check_size, parse_json, validate

HEADER = "ce_"


class CloudEventAttributes(Payload):
    """`type` chooses the chain when one names it."""

    id: str = Field(min_length=1)
    source: str = Field(min_length=1)
    type: str = ""
    subject: str | None = None


class Structured(CloudEventAttributes):
    data: JsonValue = None
    data_base64: str | None = None


def read_structured(value: JsonValue, types: AlertTypes) -> RawAlert:
    """Raises AlertRejectedError."""
    event = validate(Structured, value)
    if event.data_base64 is not None:
        return _raw_alert(event, _decoded(event.data_base64), types)
    if event.data is None:
        raise AlertRejectedError((("data",), "is missing"))
    return _raw_alert(event, event.data, types)


def read_binary(headers: Mapping[str, str], text: str, types: AlertTypes) -> RawAlert:
    """Raises AlertRejectedError."""
    attributes = {name.removeprefix(HEADER): value for name, value in headers.items() if name.startswith(HEADER)}
    return _raw_alert(validate(CloudEventAttributes, dict(attributes)), _json_or_text(text), types)


def _raw_alert(event: CloudEventAttributes, data: JsonValue, types: AlertTypes) -> RawAlert:
    ours = submission_in(data)
    alert = RawAlert(
        session_id=session_of_cloudevent(source=event.source, id=event.id),
        alert_type=types.best_match(ours.submission.alert_type if ours else None, event.type),
        data=ours.data if ours else data,
        source="cloudevent",
        author=event.source,
        title=event.subject or event.type,
        place=("data",),
    )
    return ours.submission.chosen_for(alert) if ours else alert


def _decoded(text: str) -> JsonValue:
    try:
        return _json_or_text(check_size(base64.b64decode(text, validate=True).decode(), ("data_base64",)))
    except (binascii.Error, UnicodeDecodeError):
        raise AlertRejectedError((("data_base64",), "is not the base64 form of UTF-8 text")) from None


def _json_or_text(text: str) -> JsonValue:
    try:
        return parse_json(text)
    except AlertRejectedError:
        return text
