"""A notification as Alertmanager's webhook (version 4), for what takes alerts already: pure."""

from pydantic import JsonValue

from tarsy_contracts.digest_text import digest_plain_text, digest_title
from tarsy_notifier.digest.weekly_digest import WeeklyDigest
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
DIGEST_NAME = "TarsyWeeklyDigest"
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
    alert = _alert(notification.envelope.id, notification.envelope.time, notification.link, labels, annotations)
    return _group_of(alert, receiver, dashboard_url)


def alertmanager_digest(weekly: WeeklyDigest, receiver: str, dashboard_url: str) -> dict[str, JsonValue]:
    """The digest of a week as one alert: its text is the description."""
    labels: dict[str, JsonValue] = {"alertname": DIGEST_NAME}
    annotations: dict[str, JsonValue] = {
        "summary": digest_title(weekly.digest),
        "description": cut(digest_plain_text(weekly.digest), DESCRIPTION_LIMIT),
    }
    alert = _alert(weekly.id, weekly.due_at.isoformat(), weekly.link, labels, annotations)
    return _group_of(alert, receiver, dashboard_url)


def _alert(
    id: str, starts_at: str, link: str, labels: dict[str, JsonValue], annotations: dict[str, JsonValue]
) -> dict[str, JsonValue]:
    return {
        "status": "firing",
        "labels": labels,
        "annotations": annotations,
        "startsAt": starts_at,
        "endsAt": ENDS_NEVER,
        "generatorURL": link,
        "fingerprint": id,
    }


def _group_of(alert: dict[str, JsonValue], receiver: str, dashboard_url: str) -> dict[str, JsonValue]:
    labels = alert["labels"]
    return {
        "version": "4",
        "groupKey": f"tarsy/{alert['fingerprint']}",
        "truncatedAlerts": 0,
        "status": "firing",
        "receiver": receiver,
        "groupLabels": {"alertname": labels["alertname"]} if isinstance(labels, dict) else {},
        "commonLabels": labels,
        "commonAnnotations": alert["annotations"],
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
