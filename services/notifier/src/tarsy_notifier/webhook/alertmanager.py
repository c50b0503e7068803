"""A notification as Alertmanager's webhook (version 4), for what takes alerts already: pure."""

from pydantic import JsonValue

from tarsy_notifier.notification import Notification
from tarsy_notifier.notification_text import cut, details_of, is_partial, title_of, verdict_of

NAMES = {
    "started": "TarsyInvestigationStarted",
    "completed": "TarsyInvestigationCompleted",
    "failed": "TarsyInvestigationFailed",
    "cancelled": "TarsyInvestigationCancelled",
    "timed_out": "TarsyInvestigationTimedOut",
    "approval": "TarsyApprovalWaits",
    "action": "TarsyAction",
    "budget": "TarsyBudget",
}
ENDS_NEVER = "0001-01-01T00:00:00Z"
"""Alertmanager's stamp for an alert whose end nobody knows."""
DESCRIPTION_LIMIT = 10_000


def alertmanager_body(notification: Notification, receiver: str, dashboard_url: str) -> dict[str, JsonValue]:
    """One alert, which fires: an end of an investigation is news, and nothing that is over."""
    labels: dict[str, JsonValue] = {"alertname": NAMES[notification.kind], **_alert_labels(notification)}
    annotations: dict[str, JsonValue] = {
        "summary": title_of(notification),
        "description": cut(details_of(notification), DESCRIPTION_LIMIT),
    }
    alert: dict[str, JsonValue] = {
        "status": "firing",
        "labels": labels,
        "annotations": annotations,
        "startsAt": notification.envelope.time,
        "endsAt": ENDS_NEVER,
        "generatorURL": notification.link,
        "fingerprint": notification.envelope.id,
    }
    return {
        "version": "4",
        "groupKey": f"tarsy/{notification.envelope.id}",
        "truncatedAlerts": 0,
        "status": "firing",
        "receiver": receiver,
        "groupLabels": {"alertname": NAMES[notification.kind]},
        "commonLabels": labels,
        "commonAnnotations": annotations,
        "externalURL": dashboard_url,
        "alerts": [alert],
    }


def _alert_labels(notification: Notification) -> dict[str, JsonValue]:
    session = notification.session
    known = {
        "session_id": session.id,
        "alert_type": session.alert_type,
        "chain": session.chain,
        "severity": session.severity,
        "cluster": session.cluster,
        "namespace": session.namespace,
        "workload": session.workload,
        "analysis": "partial" if is_partial(notification) else None,
        "verdict": verdict_of(notification),
    }
    return {name: value for name, value in known.items() if value}
