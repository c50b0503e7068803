"""Each format becomes alerts with title, type, facets and the identity of an episode; what is over resolves it."""

import hashlib
import hmac
import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tarsy_contracts.wire import ids
from tarsy_ingest.alert_rules import AlertTypes
from tarsy_ingest.formats import cloud_event, grafana, pagerduty, pagerduty_events
from tarsy_ingest.formats.alert_format import AlertBody, AlertFormat, Notice
from tarsy_ingest.formats.pagerduty import SignatureError, verify_signature
from tarsy_ingest.intake.alert_masking import AlertMaskers, mask_alert
from tarsy_ingest.raw_alert import AlertRejectedError, AlertResolution, Fingerprint, RawAlert
from tarsy_masking.masker import Masker

type ReadBody = Callable[..., list[Notice]]

MASKING = AlertMaskers(Masker.default(), Masker.default())
NO_INCIDENT = {"event": {"event_type": "incident.triggered", "data": {}}}
OWN = "11111111-1111-4111-8111-111111111111"


@pytest.fixture
def sample() -> Callable[[str], Any]:
    def load(name: str) -> Any:
        return json.loads((Path(__file__).parent / "samples" / f"{name}.json").read_bytes())

    return load


@pytest.fixture
def read(types: AlertTypes) -> ReadBody:
    def read_body(form: AlertFormat, value: Any, **parts: Any) -> list[Notice]:
        return list(form.read(AlertBody(value=value, session_id=OWN, **parts), types).notices)

    return read_body


def raw(notice: Notice) -> RawAlert:
    assert isinstance(notice.alert, RawAlert)
    return notice.alert


def test_an_alert_of_grafana_is_a_session_of_its_episode(sample: Any, read: ReadBody) -> None:
    firing, resolved = read(grafana.FORMAT, sample("grafana-webhook"))
    alert = mask_alert(raw(firing), MASKING)
    assert raw(firing).session_id == ids.session_of_grafana(
        org=1, fingerprint="c6eadffa33fcdf37", starts_at="2026-11-22T09:51:00Z"
    )
    assert (alert.title, alert.severity, alert.source) == ("cart needs 95 % of its memory", "critical", "grafana")
    assert (alert.cluster, alert.namespace, alert.workload) == ("prod", "shop", "cart")
    assert alert.runbook_url == "https://runbooks.example.com/memory"
    for told in ("dashboardURL", "panelURL", '"B": 95.2', "valueString"):
        assert told in alert.data
    assert resolved.alert == AlertResolution(
        session_id=ids.session_of_grafana(org=1, fingerprint="99eadffa33fcdf37", starts_at="2026-11-22T09:40:00Z"),
        source="grafana",
        ends_at=datetime(2026, 11, 22, 9, 50, tzinfo=UTC),
        alert_type="kubernetes",
        same=Fingerprint("grafana", "1/99eadffa33fcdf37"),
    )


def test_another_organisation_of_a_grafana_has_other_alerts(sample: Any, read: ReadBody) -> None:
    webhook = sample("grafana-webhook")
    first, other = read(grafana.FORMAT, webhook)[0], read(grafana.FORMAT, webhook | {"orgId": 2})[0]
    assert raw(first).session_id != raw(other).session_id


def test_an_incident_of_pagerduty_is_a_session_until_it_is_resolved(sample: Any, read: ReadBody) -> None:
    webhook = sample("pagerduty-webhook")
    [opened] = read(pagerduty.FORMAT, webhook)
    alert = mask_alert(raw(opened), MASKING)
    session_id = ids.session_of_pagerduty_incident(incident="PGR0VU2")
    assert (raw(opened).session_id, opened.fingerprint) == (session_id, "PGR0VU2")
    assert (alert.title, alert.severity, alert.alert_type) == ("Checkout answers with errors", "P1", "database")
    assert "https://shop.pagerduty.com/incidents/PGR0VU2" in alert.data
    webhook["event"] |= {"event_type": "incident.resolved"}
    [resolved] = read(pagerduty.FORMAT, webhook)
    ended = datetime(2026, 11, 22, 9, 51, 1, 123_000, tzinfo=UTC)
    assert resolved.alert == AlertResolution(session_id=session_id, source="pagerduty", ends_at=ended)


@pytest.mark.parametrize("kind", ["incident.acknowledged", "incident.escalated", "pagey.ping", "service.updated"])
def test_other_events_of_pagerduty_change_nothing(sample: Any, read: ReadBody, kind: str) -> None:
    webhook = sample("pagerduty-webhook")
    webhook["event"] |= {"event_type": kind, "data": {"message": "Hello"}}
    [notice] = read(pagerduty.FORMAT, webhook)
    assert notice.alert is None


def test_a_key_of_pagerduty_is_triggered_acknowledged_and_resolved(sample: Any, read: ReadBody) -> None:
    event = sample("pagerduty-event")
    [triggered] = read(pagerduty_events.FORMAT, event)
    alert = mask_alert(raw(triggered), MASKING)
    named = Fingerprint("pagerduty-events", "disk/db-1", has_episodes=False)
    assert (raw(triggered).same, triggered.fingerprint) == (named, "disk/db-1")
    assert (alert.title, alert.severity, alert.alert_type) == ("Disk 97 % full on db-1", "critical", "database")
    assert (alert.namespace, alert.author) == ("shop", "Monitor")
    assert alert.runbook_url == "https://runbooks.example.com/disk"
    assert "e93facc04764012d7bfb002500d5d1a6" not in alert.model_dump_json()
    key = {"routing_key": "r", "dedup_key": "disk/db-1"}
    [acknowledged] = read(pagerduty_events.FORMAT, key | {"event_action": "acknowledge"})
    [resolved] = read(pagerduty_events.FORMAT, key | {"event_action": "resolve"})
    assert acknowledged.alert is None
    assert isinstance(resolved.alert, AlertResolution)
    assert resolved.alert.same == named


def test_an_event_without_a_key_gets_one_that_resolves_it(sample: Any, read: ReadBody) -> None:
    event = sample("pagerduty-event")
    del event["dedup_key"]
    [triggered] = read(pagerduty_events.FORMAT, event)
    ended = {"routing_key": "r", "event_action": "resolve", "dedup_key": triggered.fingerprint}
    [resolved] = read(pagerduty_events.FORMAT, ended)
    assert isinstance(resolved.alert, AlertResolution)
    assert resolved.alert.same == raw(triggered).same


@pytest.mark.parametrize(
    ("form", "name", "change", "places"),
    [
        (grafana.FORMAT, "grafana-webhook", {"alerts": [{"status": "odd"}]}, "/alerts/0/status"),
        (pagerduty.FORMAT, "pagerduty-webhook", NO_INCIDENT, "/event/data/id"),
        (pagerduty_events.FORMAT, "pagerduty-event", {"event_action": "shout"}, "/event_action"),
        (pagerduty_events.FORMAT, "pagerduty-event", {"payload": None}, "/payload"),
        (pagerduty_events.FORMAT, "pagerduty-event", {"payload": {"summary": ""}}, "/payload/summary"),
        (pagerduty_events.FORMAT, "pagerduty-event", {"event_action": "resolve", "dedup_key": None}, "/dedup_key"),
    ],
)  # fmt: skip
def test_a_wrong_field_is_pointed_to(
    sample: Any, read: ReadBody, form: AlertFormat, name: str, change: Any, places: str
) -> None:
    with pytest.raises(AlertRejectedError, match=rf"^{places}"):
        read(form, sample(name) | change)


@pytest.mark.parametrize(
    ("form", "name"),
    [
        (grafana.FORMAT, "grafana-webhook"),
        (pagerduty.FORMAT, "pagerduty-webhook"),
        (pagerduty_events.FORMAT, "pagerduty-event"),
    ],
)
def test_a_type_that_is_asked_for_comes_first_and_has_to_exist(
    sample: Any, read: ReadBody, form: AlertFormat, name: str
) -> None:
    body = sample(name)
    assert raw(read(form, body, alert_type="KubePodCrashLooping")[0]).alert_type == "KubePodCrashLooping"
    with pytest.raises(AlertRejectedError, match="/alert_type: no chain"):
        read(form, body, alert_type="network")


def test_events_over_http_have_attributes_in_headers_or_stand_whole_or_in_a_batch(read: ReadBody) -> None:
    event = {"specversion": "1.0", "id": "e-1", "source": "/m", "type": "database", "subject": "db ä", "data": {"a": 1}}
    headers = {"ce-id": "e-1", "ce-source": "/m", "ce-type": "database", "ce-subject": "db%20%C3%A4"}
    [whole] = read(cloud_event.FORMAT, event)
    [binary] = read(cloud_event.FORMAT, {"a": 1}, headers=headers)
    assert raw(binary) == raw(whole)
    assert (whole.fingerprint, raw(whole).title, raw(whole).alert_type) == ("e-1", "db ä", "database")
    batch = read(cloud_event.FORMAT, [event, event | {"id": "e-2"}])
    assert [notice.fingerprint for notice in batch] == ["e-1", "e-2"]
    assert read(cloud_event.FORMAT, []) == []
    with pytest.raises(AlertRejectedError, match=r"^/1/id: Field required"):
        read(cloud_event.FORMAT, [event, {"specversion": "1.0", "source": "/m", "data": 1}])


@pytest.mark.parametrize(
    ("header", "title"),
    [
        ('"Disk full"', "Disk full"),
        (r'"the \"db\" is \\ full%21"', r'the "db" is \ full!'),
        ('"db" is full', '"db" is full'),
        ('"', '"'),
    ],
)
def test_an_attribute_in_a_header_may_be_quoted(read: ReadBody, header: str, title: str) -> None:
    headers = {"ce-id": "e-1", "ce-source": "/m", "ce-subject": header}
    assert raw(read(cloud_event.FORMAT, {"a": 1}, headers=headers)[0]).title == title


def test_an_event_that_stands_whole_is_not_taken_for_data_because_of_a_header(read: ReadBody) -> None:
    event = {"specversion": "1.0", "id": "e-1", "source": "/m", "data": "x"}
    headers = {"ce-id": "other", "content-type": "application/cloudevents+json; charset=utf-8"}
    assert [notice.fingerprint for notice in read(cloud_event.FORMAT, event, headers=headers)] == ["e-1"]


def signed(body: bytes, *secrets: bytes) -> dict[str, str]:
    signatures = [f"v1={hmac.new(secret, body, hashlib.sha256).hexdigest()}" for secret in secrets]
    return {"x-pagerduty-signature": ", ".join(signatures)}


def test_a_signature_of_one_of_our_secrets_is_enough() -> None:
    verify_signature(b"{}", signed(b"{}", b"old", b"new"), [b"new", b"newer"])


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"x-pagerduty-signature": ""},
        {"x-pagerduty-signature": "v1="},
        {"x-pagerduty-signature": "v0=abc"},
        {"x-pagerduty-signature": "v1=ä"},
        signed(b"{}", b"other"),
        signed(b"{ }", b"ours"),
    ],
)
def test_without_such_a_signature_a_webhook_is_refused(headers: dict[str, str]) -> None:
    with pytest.raises(SignatureError):
        verify_signature(b"{}", headers, [b"ours"])
