"""Webhook of Grafana's alerting (a contact point of type `webhook`): Alertmanager's, with fields of its own."""

from pydantic import Field, JsonValue

from tarsy_contracts.wire.ids import session_of_grafana
from tarsy_ingest.alert_rules import AlertTypes
from tarsy_ingest.formats.alert_format import AlertBody, AlertFormat, Notice, Notices, each_alert
from tarsy_ingest.formats.alertmanager import TYPE_LABEL, WebhookAlert, to_notice
from tarsy_ingest.formats.lenient_fields import OptionalCount, OptionalLabels, OptionalText
from tarsy_ingest.raw_alert import (
    Fingerprint,
    Payload,
    validate,
)

SOURCE = "grafana"


class GrafanaAlert(WebhookAlert):
    """`values` are those of the rule's expressions. The addresses lead to Grafana; `imageURL` to a picture."""

    silenceURL: OptionalText = ""
    dashboardURL: OptionalText = ""
    panelURL: OptionalText = ""
    imageURL: OptionalText = ""
    values: dict[str, JsonValue] | None = None
    valueString: OptionalText = ""


class GrafanaWebhook(Payload):
    """`title` and `message` are those of the group, made by the contact point's templates."""

    alerts: tuple[JsonValue, ...]
    orgId: int
    groupLabels: OptionalLabels = Field(default_factory=dict)
    truncatedAlerts: OptionalCount = 0
    title: OptionalText = ""
    message: OptionalText = ""


def read_webhook(body: AlertBody, types: AlertTypes) -> Notices:
    """Raises AlertRejectedError."""
    webhook = validate(GrafanaWebhook, body.value)
    requested = types.require(body.alert_type) if body.alert_type else None

    def read(index: int, found: JsonValue) -> Notice:
        alert = validate(GrafanaAlert, found)
        return _to_notice(webhook, index, alert, requested or _type_of(alert, types), body.author or SOURCE)

    return Notices(tuple(each_alert(SOURCE, webhook.alerts, read)), webhook.truncatedAlerts)


def _type_of(alert: GrafanaAlert, types: AlertTypes) -> str:
    return types.best_match(alert.labels.get(TYPE_LABEL), alert.labels.get("alertname"))


def _to_notice(webhook: GrafanaWebhook, index: int, alert: GrafanaAlert, alert_type: str, author: str) -> Notice:
    session_id = session_of_grafana(org=webhook.orgId, fingerprint=alert.fingerprint, starts_at=alert.starts_at)
    same = Fingerprint(SOURCE, f"{webhook.orgId}/{alert.fingerprint}")
    return to_notice(alert, session_id, same, _alert_data(webhook, alert), alert_type, author, index)


def _alert_data(webhook: GrafanaWebhook, alert: GrafanaAlert) -> dict[str, JsonValue]:
    """The fields that the agent reads, as far as they are there."""
    data: dict[str, JsonValue] = {
        "labels": dict(alert.labels),
        "annotations": dict(alert.annotations),
        "values": alert.values,
        "valueString": alert.valueString,
        "startsAt": alert.startsAt,
        "generatorURL": alert.generatorURL,
        "dashboardURL": alert.dashboardURL,
        "panelURL": alert.panelURL,
        "imageURL": alert.imageURL,
        "groupLabels": dict(webhook.groupLabels),
    }
    return {name: value for name, value in data.items() if value}


def _is_webhook(value: JsonValue) -> bool:
    return isinstance(value, dict) and "alerts" in value and "orgId" in value


FORMAT = AlertFormat(
    source=SOURCE,
    summary="Take a webhook of Grafana: each firing alert is one session",
    body=GrafanaWebhook,
    matches=_is_webhook,
    read=read_webhook,
)
