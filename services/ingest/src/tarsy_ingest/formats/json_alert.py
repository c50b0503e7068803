"""Any JSON as an alert: what it is about is found by well-known names, and the agent reads the whole of it."""

import json
from dataclasses import dataclass, replace
from functools import partial

from pydantic import JsonValue

from tarsy_contracts.wire.ids import session_of_json_alert, session_of_part
from tarsy_ingest.alert_rules import AlertTypes
from tarsy_ingest.formats.alert_format import AlertBody, AlertFormat, Notice, Notices, each_alert
from tarsy_ingest.formats.known_json import JsonFields, fields_of
from tarsy_ingest.formats.media_types import MediaTypes
from tarsy_ingest.known_fields import WELL_KNOWN, FieldTable
from tarsy_ingest.raw_alert import (
    AlertRejectedError,
    AlertResolution,
    Fingerprint,
    RawAlert,
    check_size,
    web_address,
)

SOURCE = "json"
NOTHING_ENDS = "It says that an alert is over, but not which one."
NO_CHANGE = "It changes nothing."


def read_json(body: AlertBody, types: AlertTypes, table: FieldTable = WELL_KNOWN) -> Notices:
    """A list is one alert each, and so are the `alerts` of an object. Raises AlertRejectedError."""
    wanted = body.alert_type or table.alert_type
    reader = AlertReader(body, types, table, types.require(wanted) if wanted else None)
    match body.value:
        case [_, *_] as alerts:
            return Notices(tuple(each_alert(SOURCE, alerts, reader.read_part, "")))
        case {"alerts": [dict(), *_] as alerts}:
            return Notices(tuple(each_alert(SOURCE, alerts, reader.read_part)))
        case _:
            return Notices((reader.read(body.value, body.session_id),))


@dataclass(frozen=True, slots=True)
class AlertReader:
    """`asked`: the alert type that the sender, or its door, asked for."""

    body: AlertBody
    types: AlertTypes
    table: FieldTable
    requested: str | None

    def read_part(self, index: int, value: JsonValue) -> Notice:
        return self.read(value, session_of_part(self.body.session_id, index))

    def read(self, value: JsonValue, own: str) -> Notice:
        """`own`: the session of an alert without an identity. Raises AlertRejectedError."""
        if not isinstance(value, dict | list | str) or not value:
            raise AlertRejectedError(((), "has nothing in it that could be an alert"))
        check_size(json.dumps(value, ensure_ascii=False), ())
        fields = fields_of(value, self.table)
        if fields.is_no_news:
            return Notice(SOURCE, None, NO_CHANGE)
        if fields.is_over:
            return self._to_resolution(fields)
        alert = self._to_raw_alert(value, fields, own)
        return Notice(SOURCE, alert, f"The alert is queued as {alert.alert_type}.")

    def _to_resolution(self, fields: JsonFields) -> Notice:
        same = _fingerprint_of(fields)
        if same is None:
            return Notice(SOURCE, None, NOTHING_ENDS)
        resolution = AlertResolution(
            session_id=_episode_of(fields, ""),
            source=SOURCE,
            ends_at=fields.time(self.table.ends),
            alert_type=self._type_of(fields),
            same=same,
            start_unknown=True,
        )
        return Notice(SOURCE, resolution)

    def _to_raw_alert(self, value: JsonValue, fields: JsonFields, own: str) -> RawAlert:
        return RawAlert(
            session_id=_episode_of(fields, own),
            alert_type=self._type_of(fields),
            data=value,
            source=SOURCE,
            author=self.body.author or SOURCE,
            title=fields.title,
            severity=fields.text(self.table.severities) or None,
            runbook_url=web_address(fields.text(self.table.runbooks)),
            same=_fingerprint_of(fields) or "content",
            starts_at=fields.time(self.table.starts),
        )

    def _type_of(self, fields: JsonFields) -> str:
        hints = (fields.text(("/labels/alert_type",)), fields.text(("/labels/alertname",)))
        return self.requested or self.types.best_match(*hints)


def _fingerprint_of(fields: JsonFields) -> Fingerprint | None:
    return Fingerprint(SOURCE, fields.identity, has_episodes=False) if fields.identity else None


def _episode_of(fields: JsonFields, own: str) -> str:
    identity, starts_at = fields.identity, fields.time(fields.table.starts)
    if not identity or (own and starts_at is None):
        return own
    return session_of_json_alert(identity=identity, starts_at="" if starts_at is None else starts_at.isoformat())


def _is_known_json(value: JsonValue) -> bool:
    """On the topic, JSON that nothing is known of stays the text that it is."""
    match value:
        case [dict(), *_] as alerts:
            return all(_is_known(alert) for alert in alerts)
        case {"alerts": [dict(), *_] as alerts}:
            return all(_is_known(alert) for alert in alerts)
        case _:
            return _is_known(value)


def _is_known(value: JsonValue) -> bool:
    if not isinstance(value, dict) or _is_submission(value):
        return False
    fields = fields_of(value, WELL_KNOWN)
    return bool(fields.identity) or fields.is_over or fields.is_no_news


def _is_submission(value: dict[str, JsonValue]) -> bool:
    return isinstance(value.get("data"), str) and not value.keys().isdisjoint({"alert_type", "runbook", "mcp"})


FORMAT = AlertFormat(
    source=SOURCE,
    summary="Send any JSON to be investigated: well-known names tell what it is about",
    body=None,
    matches=_is_known_json,
    read=read_json,
    media_types=MediaTypes(("application/json", "text/plain"), suffix="+json", prefix="text/"),
)


def format_of(table: FieldTable) -> AlertFormat:
    """That of a sender whose names the configuration has."""
    return replace(FORMAT, read=partial(read_json, table=table))
