"""Alertmanager's webhook (version "4"): a session for each alert that fires, or for its group.

It is told when the alert, or the whole group, is resolved.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from pydantic import Field, JsonValue

from tarsy_contracts.ids import session_of_alert_group, session_of_alertmanager
from tarsy_ingest.alert_format import AlertBody, AlertFormat, Notice, Notices
from tarsy_ingest.alert_rules import AlertTypes
from tarsy_ingest.raw_alert import (
    AlertResolution,
    Fingerprint,
    Payload,
    RawAlert,
    RawMember,
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


GROUP_BYTES = 512 * 1024
"""Limit of the alerts of a group in its data: half of what an alert may have."""


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
    groupKey: str = ""
    groupLabels: dict[str, str] = Field(default_factory=dict)
    commonLabels: dict[str, str] = Field(default_factory=dict)
    commonAnnotations: dict[str, str] = Field(default_factory=dict)
    truncatedAlerts: int = 0


def read_webhook(value: JsonValue, types: AlertTypes, author: str = SOURCE, alert_type: str | None = None) -> Notices:
    """`alert_type` is for all alerts of the webhook. Raises AlertRejectedError."""
    webhook = validate(Webhook, value)
    asked = types.require(alert_type) if alert_type else None
    notices: list[Notice] = []
    groups: dict[str, AlertGroup] = {}
    for index, alert in enumerate(webhook.alerts):
        alert_type = asked or _type_of(alert, types)
        chain_id = types.grouping_chain(alert_type)
        if chain_id is None:
            notices.append(_notice(webhook, index, alert, alert_type, author))
        else:
            groups.setdefault(chain_id, AlertGroup(chain_id, alert_type)).alerts.append(alert)
    notices += (_group_notice(webhook, group, author) for group in groups.values())
    return Notices(tuple(notices), webhook.truncatedAlerts)


def _type_of(alert: WebhookAlert, types: AlertTypes) -> str:
    """A label that names no alert type is passed over: an alert is not lost for its label."""
    return types.best_match(alert.labels.get(TYPE_LABEL), alert.labels.get("alertname"))


def _notice(webhook: Webhook, index: int, alert: WebhookAlert, alert_type: str, author: str) -> Notice:
    if alert.status == "resolved":
        resolution = AlertResolution(
            session_id=_episode_of(alert),
            source=SOURCE,
            ends_at=utc_time(alert.endsAt),
            alert_type=alert_type,
            same=Fingerprint(SOURCE, alert.fingerprint),
        )
        return Notice(SOURCE, resolution, fingerprint=alert.fingerprint)
    data = _data(webhook, alert)
    check_size(json.dumps(data, ensure_ascii=False), ("alerts", index))
    raw_alert = RawAlert(
        session_id=_episode_of(alert),
        alert_type=alert_type,
        data=data,
        source=SOURCE,
        author=author,
        title=alert.annotations.get("summary") or alert.labels.get("alertname", ""),
        severity=alert.labels.get("severity"),
        runbook_url=runbook_of(alert),
        place=("alerts", index),
        same=Fingerprint(SOURCE, alert.fingerprint),
        priority=priority_named(alert.labels.get(PRIORITY), alert.annotations.get(PRIORITY)),
    )
    return Notice(SOURCE, raw_alert, f"The alert is queued as {alert_type}.", alert.fingerprint)


@dataclass(frozen=True, slots=True)
class AlertGroup:
    """The alerts of a webhook that one chain investigates as one."""

    chain_id: str
    alert_type: str
    alerts: list[WebhookAlert] = field(default_factory=list)

    @property
    def firing(self) -> list[WebhookAlert]:
        return [alert for alert in self.alerts if alert.status == "firing"]

    def shared_labels(self) -> dict[str, str]:
        """Those that all its alerts have: `commonLabels` of the webhook are those of the alerts of all chains."""
        first, *others = (alert.labels for alert in self.alerts)
        return {name: value for name, value in first.items() if all(one.get(name) == value for one in others)}


def _group_notice(webhook: Webhook, group: AlertGroup, author: str) -> Notice:
    """The group fires while one of its alerts does, and is over when none does any more."""
    name = webhook.groupKey or json.dumps(webhook.groupLabels, sort_keys=True)
    counting = group.firing or group.alerts
    starts_at = min(alert.startsAt for alert in counting)
    session_id = session_of_alert_group(group_key=name, chain_id=group.chain_id, starts_at=starts_at)
    same = Fingerprint("alert-group", f"{group.chain_id}/{name}")
    if not group.firing:
        ends = [at for alert in group.alerts if (at := utc_time(alert.endsAt)) is not None]
        over = AlertResolution(
            session_id=session_id,
            source=SOURCE,
            ends_at=max(ends, default=None),
            alert_type=group.alert_type,
            same=same,
            whole_group=True,
        )
        return Notice(SOURCE, over, fingerprint=name)
    annotations, labels = webhook.commonAnnotations, group.shared_labels()
    named = ", ".join(f"{label}={value}" for label, value in webhook.groupLabels.items())
    first = group.firing[0]
    raw_alert = RawAlert(
        session_id=session_id,
        alert_type=group.alert_type,
        data=_group_data(webhook, group, labels),
        source=SOURCE,
        author=author,
        title=annotations.get("summary") or named or first.labels.get("alertname", ""),
        severity=labels.get("severity") or first.labels.get("severity"),
        runbook_url=next((url for alert in group.firing if (url := runbook_of(alert))), None),
        place=("alerts",),
        priority=priority_named(*(_priority_of(alert) for alert in group.firing)),
        same=same,
        members=tuple(RawMember(_episode_of(alert), _member_text(alert)) for alert in group.firing),
    )
    return Notice(SOURCE, raw_alert, f"The group is queued as {group.alert_type}.", name)


def runbook_of(alert: WebhookAlert) -> str | None:
    return web_address(alert.annotations.get(RUNBOOK)) or web_address(alert.labels.get(RUNBOOK))


def _priority_of(alert: WebhookAlert) -> str | None:
    return alert.labels.get(PRIORITY) or alert.annotations.get(PRIORITY)


def _member_text(alert: WebhookAlert) -> str:
    return json.dumps(_member(alert), ensure_ascii=False)


def _member(alert: WebhookAlert) -> dict[str, JsonValue]:
    return {
        "status": alert.status,
        "labels": dict(alert.labels),
        "annotations": dict(alert.annotations),
        "startsAt": alert.startsAt,
        "generatorURL": alert.generatorURL,
    }


def _group_data(webhook: Webhook, group: AlertGroup, shared: Mapping[str, str]) -> dict[str, JsonValue]:
    """Those that fire come first; what would be too much for an alert is only counted.

    Labels that all have stand above them: the facets and labels of the session are read there.
    """
    alerts: list[JsonValue] = []
    size = 0
    for alert in sorted(group.alerts, key=lambda one: one.status):
        size += len(_member_text(alert).encode())
        if size > GROUP_BYTES:
            break
        alerts.append(_member(alert))
    left_out = len(group.alerts) - len(alerts) + webhook.truncatedAlerts
    return {
        "groupLabels": dict(webhook.groupLabels),
        "commonLabels": dict(shared),
        "alerts": alerts,
        "alerts_left_out": left_out,
    }


def _episode_of(alert: WebhookAlert) -> str:
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
