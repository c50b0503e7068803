"""PagerDuty's Events API v2, as its senders use it: trigger, acknowledge, resolve."""

import json
from typing import Literal

from pydantic import Field, JsonValue

from tarsy_contracts.api.alerts import PagerDutyEventAccepted, WebhookAccepted
from tarsy_contracts.wire.ids import session_of_pagerduty_event
from tarsy_ingest.alert_rules import AlertTypes
from tarsy_ingest.formats.alert_format import AlertBody, AlertFormat, DoorAnswer, Notice, Notices
from tarsy_ingest.formats.alertmanager import RUNBOOK, TYPE_LABEL
from tarsy_ingest.raw_alert import (
    AlertRejectedError,
    AlertResolution,
    Fingerprint,
    Payload,
    RawAlert,
    check_size,
    validate,
    web_address,
)

SOURCE = "pagerduty-events"
KEY_LENGTH = 255


class EventPayload(Payload):
    summary: str = Field(min_length=1)
    source: str = ""
    severity: str | None = None
    timestamp: str | None = None
    component: str | None = None
    group: str | None = None
    class_: str | None = Field(None, alias="class")
    custom_details: JsonValue = None


class PagerDutyEvent(Payload):
    """`routing_key` is a secret of the sender, and not used. `dedup_key` names what is triggered and resolved."""

    event_action: Literal["trigger", "acknowledge", "resolve"]
    routing_key: str = ""
    dedup_key: str | None = Field(None, min_length=1, max_length=KEY_LENGTH)
    payload: EventPayload | None = None
    client: str | None = None
    client_url: str | None = None
    links: tuple[JsonValue, ...] = ()
    images: tuple[JsonValue, ...] = ()


def read_event(body: AlertBody, types: AlertTypes) -> Notices:
    """Raises AlertRejectedError."""
    event = validate(PagerDutyEvent, body.value)
    requested = types.require(body.alert_type) if body.alert_type else None
    if event.event_action == "trigger":
        return Notices((_notice_of_trigger(event, body, requested, types),))
    if event.dedup_key is None:
        raise AlertRejectedError((("dedup_key",), f"is missing: it names what is to {event.event_action}"))
    if event.event_action == "acknowledge":
        return Notices((Notice(SOURCE, None, "An acknowledgement changes nothing.", event.dedup_key),))
    resolution = AlertResolution(
        session_id=session_of_pagerduty_event(dedup_key=event.dedup_key),
        source=SOURCE,
        ends_at=None,
        alert_type=requested or types.require(None),
        same=_fingerprint_of(event.dedup_key),
    )
    return Notices((Notice(SOURCE, resolution, fingerprint=event.dedup_key),))


def _fingerprint_of(dedup_key: str) -> Fingerprint:
    """The key names what is wrong, and not when it began: who triggers it again after the window has it looked into."""
    return Fingerprint(SOURCE, dedup_key, has_episodes=False)


def _notice_of_trigger(event: PagerDutyEvent, body: AlertBody, requested: str | None, types: AlertTypes) -> Notice:
    payload = event.payload
    if payload is None:
        raise AlertRejectedError((("payload",), "is missing"))
    # Without a key PagerDuty makes one up, and answers with it.
    dedup_key = event.dedup_key or body.session_id
    details = payload.custom_details if isinstance(payload.custom_details, dict) else {}
    named = {name: value for name, value in details.items() if isinstance(value, str)}
    alert_type = requested or types.best_match(named.get(TYPE_LABEL), payload.class_, payload.component)
    data = event.model_dump(mode="json", by_alias=True, exclude={"routing_key", "event_action"}, exclude_defaults=True)
    check_size(json.dumps(data, ensure_ascii=False), ("payload",))
    raw_alert = RawAlert(
        session_id=body.session_id,
        alert_type=alert_type,
        data=data,
        source=SOURCE,
        author=body.author or event.client or SOURCE,
        title=payload.summary,
        severity=payload.severity,
        runbook_url=web_address(named.get(RUNBOOK)),
        place=("payload",),
        same=_fingerprint_of(dedup_key),
    )
    return Notice(SOURCE, raw_alert, f"The alert is queued as {alert_type}.", dedup_key)


def _is_event(value: JsonValue) -> bool:
    return isinstance(value, dict) and "event_action" in value and ("routing_key" in value or "payload" in value)


def _accepted_answer(accepted: WebhookAccepted) -> PagerDutyEventAccepted:
    (alert,) = accepted.alerts
    return PagerDutyEventAccepted(dedup_key=alert.fingerprint)


FORMAT = AlertFormat(
    source=SOURCE,
    summary="Take an event as PagerDuty takes it (Events API v2): each key is one session",
    body=PagerDutyEvent,
    matches=_is_event,
    read=read_event,
    answer=DoorAnswer(PagerDutyEventAccepted, _accepted_answer),
    # Clients are given a base address, and append this.
    aliases=("pagerduty-events/v2/enqueue",),
)
