"""Alertmanager's webhook (version "4"): one session for each alert that fires, which is told when it is resolved."""

import json
from typing import Literal

from pydantic import Field, JsonValue

from tarsy_contracts.ids import session_of_alertmanager
from tarsy_ingest.alert_format import AlertBody, AlertFormat, Notice, Notices
from tarsy_ingest.alert_rules import AlertTypes
from tarsy_ingest.raw_alert import (
    AlertResolution,
    Payload,
    RawAlert,
    check_size,
    priority_named,
    utc_time,
    validate,
    web_address,
)

SOURCE = "alertmanager"
VERSION = "4"
TYPE_LABEL = "alert_type"
RUNBOOK = "runbook_url"
PRIORITY = "tarsy_priority"
"""Both as a label or as an annotation. A wrong value costs no alert: Alertmanager would send it for ever."""


class WebhookAlert(Payload):
    status: Literal["firing", "resolved"]
    labels: dict[str, str]
    annotations: dict[str, str] = Field(default_factory=dict)
    startsAt: str = Field(min_length=1)
    endsAt: str = ""
    generatorURL: str = ""
    fingerprint: str = Field(min_length=1)


class Webhook(Payload):
    version: Literal["4"]
    alerts: tuple[WebhookAlert, ...]
    groupLabels: dict[str, str] = Field(default_factory=dict)
    truncatedAlerts: int = 0


def read_webhook(value: JsonValue, types: AlertTypes, author: str = SOURCE, alert_type: str | None = None) -> Notices:
    """`alert_type` is for all alerts of the webhook. Raises AlertRejectedError."""
    webhook = validate(Webhook, value)
    asked = types.require(alert_type) if alert_type else None
    notices = (
        _notice(webhook, index, alert, asked or _type_of(alert, types), author)
        for index, alert in enumerate(webhook.alerts)
    )
    return Notices(tuple(notices), webhook.truncatedAlerts)


def _type_of(alert: WebhookAlert, types: AlertTypes) -> str:
    """A label that names no alert type is passed over: an alert is not lost for its label."""
    return types.best_match(alert.labels.get(TYPE_LABEL), alert.labels.get("alertname"))


def _notice(webhook: Webhook, index: int, alert: WebhookAlert, alert_type: str, author: str) -> Notice:
    if alert.status == "resolved":
        resolution = AlertResolution(session_id=_session_of(alert), source=SOURCE, ends_at=utc_time(alert.endsAt))
        told = f"The alert is resolved: its session ({resolution.session_id}) is told, if there is one."
        return Notice(SOURCE, resolution, told, alert.fingerprint)
    data = _data(webhook, alert)
    check_size(json.dumps(data, ensure_ascii=False), ("alerts", index))
    raw_alert = RawAlert(
        session_id=_session_of(alert),
        alert_type=alert_type,
        data=data,
        source=SOURCE,
        author=author,
        title=alert.annotations.get("summary") or alert.labels.get("alertname", ""),
        severity=alert.labels.get("severity"),
        runbook_url=web_address(alert.annotations.get(RUNBOOK)) or web_address(alert.labels.get(RUNBOOK)),
        place=("alerts", index),
        priority=priority_named(alert.labels.get(PRIORITY), alert.annotations.get(PRIORITY)),
    )
    return Notice(SOURCE, raw_alert, f"The alert is queued as {alert_type}.", alert.fingerprint)


def _session_of(alert: WebhookAlert) -> str:
    """A resolved alert has the start of its episode, and so its session."""
    return session_of_alertmanager(fingerprint=alert.fingerprint, starts_at=alert.startsAt)


def _data(webhook: Webhook, alert: WebhookAlert) -> dict[str, JsonValue]:
    """The fields that the agent reads."""
    return {
        "labels": dict(alert.labels),
        "annotations": dict(alert.annotations),
        "startsAt": alert.startsAt,
        "generatorURL": alert.generatorURL,
        "groupLabels": dict(webhook.groupLabels),
    }


def _matches(value: JsonValue) -> bool:
    return isinstance(value, dict) and "alerts" in value and value.get("version") == VERSION


def _read(body: AlertBody, types: AlertTypes) -> Notices:
    return read_webhook(body.value, types, body.author or SOURCE, body.alert_type)


FORMAT = AlertFormat(
    source=SOURCE,
    summary="Take a webhook of Alertmanager: each firing alert is one session",
    body=Webhook,
    matches=_matches,
    read=_read,
)
