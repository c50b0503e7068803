"""Alertmanager's webhook (version "4"): a session for each alert that fires, or for its group.

It is told when the alert, or the whole group, is resolved.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Self

from pydantic import Field, JsonValue, model_validator

from tarsy_contracts.wire.ids import session_of_alert_group, session_of_alertmanager
from tarsy_ingest.alert_rules import AlertTypes
from tarsy_ingest.formats.alert_format import AlertBody, AlertFormat, Notice, Notices, each_alert
from tarsy_ingest.formats.lenient_fields import Labels, OptionalCount, OptionalLabels, OptionalText, fingerprint_of
from tarsy_ingest.raw_alert import (
    AlertResolution,
    Fingerprint,
    Payload,
    RawAlert,
    RawMember,
    check_size,
    find_priority,
    instant,
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
    """An alert without labels is none. Its fingerprint follows from them, where the sender leaves it out."""

    status: Literal["firing", "resolved"]
    labels: Labels
    annotations: OptionalLabels = Field(default_factory=dict)
    startsAt: str = Field(min_length=1)
    endsAt: OptionalText = ""
    generatorURL: OptionalText = ""
    fingerprint: OptionalText = ""

    @model_validator(mode="after")
    def _with_fingerprint(self) -> Self:
        if self.fingerprint:
            return self
        return self.model_copy(update={"fingerprint": fingerprint_of(self.labels)})

    @property
    def starts_at(self) -> str:
        """The instant, however the sender writes it."""
        return instant(self.startsAt)

    @property
    def start_is_known(self) -> bool:
        """Grafana 12 writes the end of a resolved alert as its start, and the zero time stands for no time."""
        starts = utc_time(self.startsAt)
        return starts is not None and (self.status == "firing" or starts != utc_time(self.endsAt))


class Webhook(Payload):
    version: Literal["4"]
    alerts: tuple[JsonValue, ...]
    groupKey: OptionalText = ""
    groupLabels: OptionalLabels = Field(default_factory=dict)
    commonLabels: OptionalLabels = Field(default_factory=dict)
    commonAnnotations: OptionalLabels = Field(default_factory=dict)
    truncatedAlerts: OptionalCount = 0


def read_webhook(value: JsonValue, types: AlertTypes, author: str = SOURCE, alert_type: str | None = None) -> Notices:
    """`alert_type` is for all alerts of the webhook. Raises AlertRejectedError."""
    webhook = validate(Webhook, value)
    requested = types.require(alert_type) if alert_type else None
    groups: dict[str, AlertGroup] = {}

    def read(index: int, found: JsonValue) -> Notice | None:
        alert = validate(WebhookAlert, found)
        alert_type = requested or _type_of(alert, types)
        chain_id = types.find_grouping_chain(alert_type, alert.labels, SOURCE)
        if chain_id is None:
            same, data = Fingerprint(SOURCE, alert.fingerprint), _alert_data(webhook, alert)
            return to_notice(alert, _episode_of(alert), same, data, alert_type, author, index)
        groups.setdefault(chain_id, AlertGroup(chain_id, alert_type)).alerts.append(alert)
        return None

    notices = each_alert(SOURCE, webhook.alerts, read)
    notices += (_to_group_notice(webhook, group, author) for group in groups.values())
    return Notices(tuple(notices), webhook.truncatedAlerts)


def _type_of(alert: WebhookAlert, types: AlertTypes) -> str:
    """A label that names no alert type is passed over: an alert is not lost for its label."""
    return types.best_match(alert.labels.get(TYPE_LABEL), alert.labels.get("alertname"))


def to_notice(
    alert: WebhookAlert,
    session_id: str,
    same: Fingerprint,
    data: dict[str, JsonValue],
    alert_type: str,
    author: str,
    index: int,
) -> Notice:
    """The source is the kind of the fingerprint. `data`: what the agent reads. `index`: of the alert in its webhook."""
    if alert.status == "resolved":
        resolution = AlertResolution(
            session_id=session_id,
            source=same.kind,
            ends_at=utc_time(alert.endsAt),
            alert_type=alert_type,
            same=same,
            start_unknown=not alert.start_is_known,
        )
        return Notice(same.kind, resolution, fingerprint=alert.fingerprint)
    check_size(json.dumps(data, ensure_ascii=False), ())
    raw_alert = RawAlert(
        session_id=session_id,
        alert_type=alert_type,
        data=data,
        source=same.kind,
        author=author,
        title=alert.annotations.get("summary") or alert.labels.get("alertname", ""),
        severity=alert.labels.get("severity"),
        runbook_url=runbook_of(alert),
        place=("alerts", index),
        same=same,
        priority=find_priority(alert.labels.get(PRIORITY), alert.annotations.get(PRIORITY)),
        starts_at=utc_time(alert.startsAt),
    )
    return Notice(same.kind, raw_alert, f"The alert is queued as {alert_type}.", alert.fingerprint)


@dataclass(frozen=True, slots=True)
class AlertGroup:
    """The alerts of a webhook that one chain investigates as one."""

    chain_id: str
    alert_type: str
    alerts: list[WebhookAlert] = field(default_factory=list)

    @property
    def firing(self) -> list[WebhookAlert]:
        return [alert for alert in self.alerts if alert.status == "firing"]

    def find_shared_labels(self) -> dict[str, str]:
        """Those that all its alerts have: `commonLabels` of the webhook are those of the alerts of all chains."""
        first, *others = (alert.labels for alert in self.alerts)
        return {name: value for name, value in first.items() if all(one.get(name) == value for one in others)}


def _to_group_notice(webhook: Webhook, group: AlertGroup, author: str) -> Notice:
    """The group fires while one of its alerts does, and is over when none does any more."""
    name = webhook.groupKey or json.dumps(webhook.groupLabels, sort_keys=True)
    counting = group.firing or group.alerts
    starts_at = min(alert.starts_at for alert in counting)
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
    annotations, labels = webhook.commonAnnotations, group.find_shared_labels()
    named = ", ".join(f"{label}={value}" for label, value in webhook.groupLabels.items())
    first = group.firing[0]
    raw_alert = RawAlert(
        session_id=session_id,
        alert_type=group.alert_type,
        data=_group_alert_data(webhook, group, labels),
        source=SOURCE,
        author=author,
        title=annotations.get("summary") or named or first.labels.get("alertname", ""),
        severity=labels.get("severity") or first.labels.get("severity"),
        runbook_url=next((url for alert in group.firing if (url := runbook_of(alert))), None),
        place=("alerts",),
        priority=find_priority(*(_priority_of(alert) for alert in group.firing)),
        same=same,
        members=tuple(RawMember(_episode_of(alert), _render_member(alert)) for alert in group.firing),
    )
    return Notice(SOURCE, raw_alert, f"The group is queued as {group.alert_type}.", name)


def runbook_of(alert: WebhookAlert) -> str | None:
    return web_address(alert.annotations.get(RUNBOOK)) or web_address(alert.labels.get(RUNBOOK))


def _priority_of(alert: WebhookAlert) -> str | None:
    return alert.labels.get(PRIORITY) or alert.annotations.get(PRIORITY)


def _render_member(alert: WebhookAlert) -> str:
    return json.dumps(_to_group_member(alert), ensure_ascii=False)


def _to_group_member(alert: WebhookAlert) -> dict[str, JsonValue]:
    return {
        "status": alert.status,
        "labels": dict(alert.labels),
        "annotations": dict(alert.annotations),
        "startsAt": alert.startsAt,
        "generatorURL": alert.generatorURL,
    }


def _group_alert_data(webhook: Webhook, group: AlertGroup, shared: Mapping[str, str]) -> dict[str, JsonValue]:
    """Firing alerts come first. Those beyond the limit are only counted.

    Labels that all have stand above them: the facets and labels of the session are read there.
    """
    alerts: list[JsonValue] = []
    size = 0
    for alert in sorted(group.alerts, key=lambda one: one.status):
        size += len(_render_member(alert).encode())
        if size > GROUP_BYTES:
            break
        alerts.append(_to_group_member(alert))
    left_out = len(group.alerts) - len(alerts) + webhook.truncatedAlerts
    return {
        "groupLabels": dict(webhook.groupLabels),
        "commonLabels": dict(shared),
        "alerts": alerts,
        "alerts_left_out": left_out,
    }


def _episode_of(alert: WebhookAlert) -> str:
    """A resolved alert has the start of its episode, and so its session."""
    return session_of_alertmanager(fingerprint=alert.fingerprint, starts_at=alert.starts_at)


def _alert_data(webhook: Webhook, alert: WebhookAlert) -> dict[str, JsonValue]:
    """The fields that the agent reads."""
    return {
        "labels": dict(alert.labels),
        "annotations": dict(alert.annotations),
        "startsAt": alert.startsAt,
        "generatorURL": alert.generatorURL,
        "groupLabels": dict(webhook.groupLabels),
    }


def _is_webhook(value: JsonValue) -> bool:
    return isinstance(value, dict) and "alerts" in value and value.get("version") == VERSION


def _read_notices(body: AlertBody, types: AlertTypes) -> Notices:
    return read_webhook(body.value, types, body.author or SOURCE, body.alert_type)


FORMAT = AlertFormat(
    source=SOURCE,
    summary="Take a webhook of Alertmanager: each firing alert is one session",
    body=Webhook,
    matches=_is_webhook,
    read=_read_notices,
)
