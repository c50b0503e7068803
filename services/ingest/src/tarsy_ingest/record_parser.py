"""Parser of records of the alerts topic, which strangers write, with kcat or whatever they have."""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from tarsy_contracts.ids import session_of_record
from tarsy_ingest.alert_format import Notice
from tarsy_ingest.alert_formats import FORMATS
from tarsy_ingest.alert_rules import AlertRules
from tarsy_ingest.cloud_event import HEADER, read_binary, read_structured
from tarsy_ingest.lenient_submission import looks_like_submission, read_leniently
from tarsy_ingest.raw_alert import AlertRejectedError, RawAlert, check_size, parse_json

AUTHOR = "kafka"


@dataclass(frozen=True, slots=True)
class RecordPosition:
    """Where a record lies. `cluster` tells the same topic of two clusters apart."""

    cluster: str
    topic: str
    partition: int
    offset: int

    def session_id(self) -> str:
        return session_of_record(cluster=self.cluster, topic=self.topic, partition=self.partition, offset=self.offset)

    def __str__(self) -> str:
        return f"{self.cluster}/{self.topic}/{self.partition}/{self.offset}"


def read_record(
    raw: bytes | None, headers: Sequence[tuple[str, bytes | None]], position: RecordPosition, rules: AlertRules
) -> tuple[Notice, ...]:
    """Reads the alerts of a record. Raises AlertRejectedError.

    A form that is known must have the right fields. Anything else is text for the agent, as it is.
    """
    text = _text(raw)
    attributes = {name: _header(name, raw) for name, raw in headers if name.startswith(HEADER)}
    if "ce_id" in attributes or "ce_source" in attributes:
        return _one(read_binary(attributes, text, rules.types))
    value = _json(text)
    if not isinstance(value, dict):
        return _one(_plain(text, position, rules))
    if "specversion" in value:
        return _one(read_structured(value, rules.types))
    for form in FORMATS:
        if form.matches(value):
            return form.read(value, rules.types, form.source, None).notices
    if looks_like_submission(value):
        return _one(_submitted(value, position, rules))
    return _one(_plain(text, position, rules))


def _one(alert: RawAlert) -> tuple[Notice]:
    return (Notice(alert.source, alert),)


def _submitted(value: dict[str, JsonValue], position: RecordPosition, rules: AlertRules) -> RawAlert:
    found = read_leniently(value)
    check_size(found.submission.data, ("data",))
    alert = RawAlert(
        session_id=position.session_id(),
        alert_type=rules.types.require(found.submission.alert_type or None),
        data=found.data,
        source="kafka",
        author=AUTHOR,
        place=("data",),
        same="content",
    )
    return found.submission.chosen_for(alert)


def _plain(text: str, position: RecordPosition, rules: AlertRules) -> RawAlert:
    return RawAlert(
        session_id=position.session_id(),
        alert_type=rules.types.default,
        data=text,
        source="kafka",
        author=AUTHOR,
        same="content",
    )


def _text(value: bytes | None) -> str:
    try:
        return check_size((value or b"").decode(), ())
    except UnicodeDecodeError:
        raise AlertRejectedError(((), "is not UTF-8 text")) from None


def _header(name: str, raw: bytes | None) -> str:
    try:
        return (raw or b"").decode()
    except UnicodeDecodeError:
        raise AlertRejectedError(((name,), "is a header that is not UTF-8 text")) from None


def _json(text: str) -> JsonValue:
    try:
        return parse_json(text)
    except AlertRejectedError:
        return None
