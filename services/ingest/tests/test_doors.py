"""The doors over HTTP: what each takes, how it answers, and how it refuses."""

import hashlib
import hmac
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from ingest_running import Ingest, Records, alert_in, session_of
from prometheus_client import CollectorRegistry
from pydantic import SecretStr

from tarsy_bus.client.connection import Bus
from tarsy_contracts.wire import ids
from tarsy_ingest.app import build
from tarsy_ingest.formats.alert_formats import FORMATS
from tarsy_ingest.settings import IngestSettings
from tarsy_service.process.runner import Readiness, build_app

ALERTS = "/api/v1/alerts"
EVENT = {"specversion": "1.0", "id": "e-1", "source": "/m", "type": "database", "data": {"summary": "Disk full"}}

JSON = {"Content-Type": "application/json"}


def sample(name: str) -> bytes:
    return (Path(__file__).parent / f"samples/{name}.json").read_bytes()


@pytest.fixture
async def signed_door(config_dir: Path) -> AsyncIterator[httpx2.AsyncClient]:
    """The HTTP side of an ingest that has two secrets of PagerDuty, and no Kafka."""
    registry = CollectorRegistry()
    settings = IngestSettings(config_dir=config_dir, pagerduty_webhook_secrets=SecretStr("old, new"))
    service = build(settings, registry)
    app = build_app([service], Readiness([service.name]), registry)
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url="http://localhost") as client:
        yield client


async def test_every_format_has_a_door_that_takes_it(ingest: Ingest, bus: Bus, records: Records) -> None:
    post = ingest.client.post
    answers: dict[str, Any] = {}
    for path, body, kind in (
        ("grafana", sample("grafana-webhook"), "application/json; charset=utf-8"),
        ("pagerduty", sample("pagerduty-webhook"), "application/json"),
        ("pagerduty-events/v2/enqueue", sample("pagerduty-event"), "application/json"),
        ("cloudevent", json.dumps(EVENT).encode(), "application/cloudevents+json"),
        ("cloudevent", json.dumps([EVENT | {"id": "e-2"}]).encode(), "application/cloudevents-batch+json"),
        ("text", b"# Disk full\n\non db-1", "text/markdown"),
    ):
        answer = await post(f"{ALERTS}/{path}", content=body, headers={"Content-Type": kind})
        assert answer.status_code == 202, answer.text
        answers[path] = answer.json()
    binary = {"Content-Type": "application/xml", "ce-id": "e-3", "ce-source": "/m", "ce-subject": "db%201"}
    assert (await post(f"{ALERTS}/cloudevent", content=b"<full/>", headers=binary)).status_code == 202

    alerts = {
        session_of(one): alert_in(one) for one in await records(bus.topics.inbox) if b'"alert":' in (one.value or b"")
    }
    assert sorted((alert.source, alert.title) for alert in alerts.values()) == [
        ("cloudevent", "Disk full"),
        ("cloudevent", "Disk full"),
        ("cloudevent", "db 1"),
        ("grafana", "cart needs 95 % of its memory"),
        ("pagerduty", "Checkout answers with errors"),
        ("pagerduty-events", "Disk 97 % full on db-1"),
        ("text", "Disk full"),
    ]
    enqueued = answers["pagerduty-events/v2/enqueue"]
    assert enqueued == {"status": "success", "message": "Event processed", "dedup_key": "disk/db-1"}
    firing, resolved = answers["grafana"]["alerts"]
    assert (firing["status"], firing["session_id"] in alerts) == ("queued", True)
    assert (resolved["status"], "session_id" in resolved) == ("resolved", False)
    assert answers["grafana"]["truncated_alerts"] == 2
    assert (ingest.counted("grafana", "queued"), ingest.counted("grafana", "resolved")) == (1, 1)


async def test_an_acknowledgement_is_answered_and_changes_nothing(ingest: Ingest, bus: Bus, records: Records) -> None:
    event = {"routing_key": "r", "dedup_key": "k", "event_action": "acknowledge"}
    answer = await ingest.client.post(f"{ALERTS}/pagerduty-events", json=event)
    assert (answer.status_code, answer.json()["dedup_key"]) == (202, "k")
    assert await records(bus.topics.inbox) == []
    assert ingest.counted("pagerduty-events", "ignored") == 1


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "application/octet-stream"])
async def test_text_is_taken_where_json_is(ingest: Ingest, bus: Bus, records: Records, kind: str) -> None:
    """`curl -d @file` names a type of its own."""
    headers = {"Content-Type": kind, "Idempotency-Key": "k", "X-Forwarded-User": "ann"}
    url = f"{ALERTS}?alert_type=database"
    answer = await ingest.client.post(url, content=b"\ndisk full on db-1\nsince noon", headers=headers)
    assert answer.status_code == 202, answer.text
    (record,) = await records(bus.topics.inbox)
    alert = alert_in(record)
    assert session_of(record) == answer.json()["session_id"] == ids.session_of_idempotency_key(caller="ann", key="k")
    assert (alert.title, alert.source, alert.alert_type, alert.author) == (
        "disk full on db-1",
        "text",
        "database",
        "ann",
    )
    other = await ingest.client.post(url, content=b"another", headers=headers)
    assert other.status_code == 422


async def test_a_byte_order_mark_before_json_is_read_over(ingest: Ingest, bus: Bus, records: Records) -> None:
    body = "\N{ZERO WIDTH NO-BREAK SPACE}".encode() + b'{"data": "disk full", "title": "db-1"}'
    assert (await ingest.client.post(ALERTS, content=body, headers=JSON)).status_code == 202
    (record,) = await records(bus.topics.inbox)
    assert alert_in(record).title == "db-1"


async def test_the_door_for_text_knows_a_repeat_by_its_key(ingest: Ingest) -> None:
    async def send(text: bytes) -> httpx2.Response:
        return await ingest.client.post(f"{ALERTS}/text", content=text, headers={"Idempotency-Key": "k"})

    first, again = await send(b'{"a": 1}'), await send(b'{"a": 1}')
    assert first.json()["alerts"][0]["session_id"] == again.json()["alerts"][0]["session_id"]
    assert (await send(b"other")).status_code == 422


@pytest.mark.parametrize("path", ["", *(f"/{form.source}" for form in FORMATS)])
async def test_another_content_type_is_refused_with_those_that_are_known(
    unconnected: httpx2.AsyncClient, path: str
) -> None:
    answer = await unconnected.post(f"{ALERTS}{path}", content=b"<x/>", headers={"Content-Type": "image/hunter2"})
    assert (answer.status_code, answer.headers["content-type"]) == (415, "application/problem+json")
    assert "This door takes " in answer.json()["detail"]
    assert "hunter2" not in answer.text


@pytest.mark.parametrize(
    ("path", "body", "kind", "pointer"),
    [
        ("grafana", b'{"orgId": 1}', "application/json", "/alerts"),
        ("pagerduty", b"{}", "application/json", "/event"),
        ("pagerduty-events", b"{}", "application/json", "/event_action"),
        ("cloudevent", b'[{"id": "1"}]', "application/cloudevents-batch+json", "/0/source"),
        ("cloudevent", b"disk full", "application/cloudevents+json", ""),
        ("text", b" ", "text/plain", ""),
        ("text", b"\xff", "text/plain", ""),
        ("text?alert_type=network", b"x", "text/plain", "/alert_type"),
        ("", b"\xff", "text/plain", ""),
        ("", b"{", "application/json", ""),
        ("", b"", "application/json", ""),
    ],
)
async def test_a_mistake_is_pointed_to(
    unconnected: httpx2.AsyncClient, path: str, body: bytes, kind: str, pointer: str
) -> None:
    answer = await unconnected.post(f"{ALERTS}/{path}".rstrip("/"), content=body, headers={"Content-Type": kind})
    assert answer.status_code == 400, answer.text
    assert answer.json()["errors"][0]["pointer"] == pointer


@pytest.mark.parametrize("path", ["", "/text", "/alertmanager"])
async def test_a_door_says_which_method_it_takes(unconnected: httpx2.AsyncClient, path: str) -> None:
    answer = await unconnected.get(f"{ALERTS}{path}")
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


@pytest.mark.parametrize("kind", [None, "application/x-www-form-urlencoded", "application/octet-stream"])
@pytest.mark.parametrize("path", ["", *(f"/{form.source}" for form in FORMATS if form.source != "text")])
async def test_json_says_that_it_is_json(unconnected: httpx2.AsyncClient, path: str, kind: str | None) -> None:
    """A form of any page can send these types to any host."""
    headers = {} if kind is None else {"Content-Type": kind}
    answer = await unconnected.post(f"{ALERTS}{path}", content=b'{"data": "disk full"}', headers=headers)
    assert (answer.status_code, "application/" in answer.json()["detail"]) == (415, True)


async def test_a_webhook_of_pagerduty_has_to_be_signed_where_a_secret_is_configured(
    signed_door: httpx2.AsyncClient, unconnected: httpx2.AsyncClient
) -> None:
    body = sample("pagerduty-webhook")

    async def status(signature: str | None) -> int:
        signed = {} if signature is None else {"X-PagerDuty-Signature": signature}
        headers = {**JSON, **signed}
        answer = await signed_door.post(f"{ALERTS}/pagerduty", content=body, headers=headers)
        assert answer.headers["content-type"] == "application/problem+json"
        return answer.status_code

    def sign(secret: bytes) -> str:
        return f"v1={hmac.new(secret, body, hashlib.sha256).hexdigest()}"

    assert [await status(one) for one in (None, "", "v1=00", sign(b"other"))] == [401, 401, 401, 401]
    # No Kafka: whoever comes so far is asked to come again.
    assert await status(f"{sign(b'other')},{sign(b'new')}") == 503
    assert (await unconnected.post(f"{ALERTS}/pagerduty", content=body, headers=JSON)).status_code == 503


async def test_the_api_document_shows_each_door_with_its_types(unconnected: httpx2.AsyncClient) -> None:
    document = (await unconnected.get("/openapi.json")).json()
    for form in FORMATS:
        body = document["paths"][f"{ALERTS}/{form.source}"]["post"]["requestBody"]["content"]
        assert sorted(body) == sorted(form.media_types.names)
