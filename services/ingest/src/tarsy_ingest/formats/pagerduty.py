"""PagerDuty's webhooks v3: one session for each incident, which is told when the incident is resolved."""

import hashlib
import hmac
import json
from collections.abc import Mapping, Sequence

from pydantic import Field, JsonValue

from tarsy_contracts.wire.ids import session_of_pagerduty_incident
from tarsy_ingest.alert_rules import AlertTypes
from tarsy_ingest.errors import IngestError
from tarsy_ingest.formats.alert_format import AlertBody, AlertFormat, Notice, Notices
from tarsy_ingest.raw_alert import AlertResolution, Payload, RawAlert, check_size, utc_time, validate

SOURCE = "pagerduty"
SIGNATURE_HEADER = "x-pagerduty-signature"
SIGNATURE_VERSION = "v1="
MOST_SIGNATURES = 20
OPENED = frozenset({"incident.triggered", "incident.reopened"})
RESOLVED = "incident.resolved"


class SignatureError(IngestError):
    """No secret of ours signed the body. The caller signs it, or the operator configures the secret."""


class Reference(Payload):
    summary: str | None = None


class PagerDutyIncident(Payload):
    id: str = Field(min_length=1)
    title: str = ""
    urgency: str | None = None
    priority: Reference | None = None
    service: Reference | None = None


class IncidentPlace(Payload):
    data: PagerDutyIncident


class IncidentEvent(Payload):
    event: IncidentPlace


class WebhookEvent(Payload):
    """`data`: the incident, or whatever else the event is about."""

    event_type: str = Field(min_length=1)
    occurred_at: str = ""
    data: JsonValue = None


class PagerDutyWebhook(Payload):
    event: WebhookEvent


def read_webhook(body: AlertBody, types: AlertTypes) -> Notices:
    """Raises AlertRejectedError."""
    event = validate(PagerDutyWebhook, body.value).event
    requested = types.require(body.alert_type) if body.alert_type else None
    if event.event_type not in {*OPENED, RESOLVED}:
        return Notices((Notice(SOURCE, None, "This type of event changes nothing."),))
    incident = validate(IncidentEvent, body.value).event.data
    session_id = session_of_pagerduty_incident(incident=incident.id)
    if event.event_type == RESOLVED:
        resolution = AlertResolution(session_id=session_id, source=SOURCE, ends_at=utc_time(event.occurred_at))
        return Notices((Notice(SOURCE, resolution, fingerprint=incident.id),))
    service = incident.service.summary if incident.service else None
    alert_type = requested or types.best_match(service)
    data: JsonValue = {"event_type": event.event_type, "occurred_at": event.occurred_at, "incident": event.data}
    check_size(json.dumps(data, ensure_ascii=False), ("event", "data"))
    raw_alert = RawAlert(
        session_id=session_id,
        alert_type=alert_type,
        data=data,
        source=SOURCE,
        author=body.author or SOURCE,
        title=incident.title,
        severity=(incident.priority.summary if incident.priority else None) or incident.urgency,
        place=("event", "data"),
    )
    return Notices((Notice(SOURCE, raw_alert, f"The alert is queued as {alert_type}.", incident.id),))


def verify_signature(raw: bytes, headers: Mapping[str, str], secrets: Sequence[bytes]) -> None:
    """While a secret is replaced there are several signatures, and several secrets. Raises SignatureError."""
    sent = [one.strip() for one in headers.get(SIGNATURE_HEADER, "").split(",")[:MOST_SIGNATURES]]
    signed = [one.removeprefix(SIGNATURE_VERSION) for one in sent if one.startswith(SIGNATURE_VERSION)]
    if not signed:
        raise SignatureError("The header X-PagerDuty-Signature is missing, or has no signature of version v1.")
    own = [hmac.new(secret, raw, hashlib.sha256).hexdigest() for secret in secrets]
    if not any(hmac.compare_digest(one.encode(), ours.encode()) for one in signed for ours in own):
        raise SignatureError("No signature in X-PagerDuty-Signature was made with a secret that is configured here.")


def _is_webhook(value: JsonValue) -> bool:
    if not isinstance(value, dict):
        return False
    event = value.get("event")
    return isinstance(event, dict) and "event_type" in event and "data" in event


FORMAT = AlertFormat(
    source=SOURCE,
    summary="Take a webhook of PagerDuty (v3): each incident is one session",
    body=PagerDutyWebhook,
    matches=_is_webhook,
    read=read_webhook,
    verify=verify_signature,
)
