"""202 means that the alert is in the inbox, masked, under the session that the answer names."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
import structlog
from ingest_running import Ingest, Records, Writable, alert_in, session_of

from tarsy_bus.client.connection import Bus
from tarsy_bus.readers.records import delivery
from tarsy_contracts.alert import McpSelection, McpServerSelection
from tarsy_contracts.messages.audit import ActRequested
from tarsy_contracts.messages.inputs import INPUTS, AlertReceived, AlertResolutionReported
from tarsy_contracts.wire.ids import deduplication_key, session_beside, session_of_alertmanager
from tarsy_ingest.intake import alert_intake as intake
from tarsy_testing.real_servers import eventually

ALERTS = "/api/v1/alerts"
WEBHOOK = "/api/v1/alerts/alertmanager"
SECRET = "fake-0rders-Pa55-4417"
LEAK = f"connected to postgres://checkout:{SECRET}@orders-db.shop.svc:5432/orders"


async def submit(ingest: Ingest, data: str = "disk full", **headers: str) -> str:
    response = await ingest.client.post(ALERTS, json={"data": data}, headers=headers)
    assert response.status_code == 202
    answer = response.json()
    assert answer["status"] == "queued"
    return str(answer["session_id"])


async def test_an_accepted_alert_is_in_the_inbox(ingest: Ingest, bus: Bus, records: Records) -> None:
    body = {"data": "disk full", "alert_type": "database", "runbook": "https://runbooks.example.com/disk"}
    response = await ingest.client.post(ALERTS, json=body)
    (record,) = await records(bus.topics.inbox)
    alert = alert_in(record)
    assert session_of(record) == response.json()["session_id"]
    assert (alert.data, alert.alert_type, alert.source) == ("disk full", "database", "api")
    assert alert.runbook_url == "https://runbooks.example.com/disk"
    assert ingest.counted("api", "queued") == 1
    assert ingest.value("tarsy_ingest_intake_duration_seconds_count") == 1
    assert ingest.value("tarsy_kafka_records_total", service="ingest", topic="inbox", outcome="ok") == 1
    route = {"method": "POST", "route": "/api/v1/alerts"}
    assert ingest.value("tarsy_http_requests_total", **route, status="202") == 1


async def test_who_submits_an_alert_is_on_record_and_a_system_that_sends_one_is_not(
    ingest: Ingest, bus: Bus, records: Records, samples: dict[str, Any]
) -> None:
    await submit(ingest, **{"X-Forwarded-User": "alice"})
    assert (await ingest.client.post(WEBHOOK, json=samples["firing"])).status_code == 202
    (record,) = await records(bus.topics.audit)
    act = ActRequested.model_validate_json(record.value or b"")
    assert (act.act, act.name, act.door, act.session_id) == (f"POST {ALERTS}", "alice", "forwarded_user", "")


async def test_what_was_chosen_for_an_alert_is_in_the_inbox(ingest: Ingest, bus: Bus, records: Records) -> None:
    servers = [{"name": "kubernetes", "tools": ["pods_list", "pods_log", "pods_list"]}, {"name": "prometheus"}]
    choice = {"servers": servers, "native_tools": {"google_search": False, "url_context": None}}
    body = {"data": "disk full", "priority": "urgent", "mcp": choice, "llm_provider": "scripted"}
    assert (await ingest.client.post(ALERTS, json=body)).status_code == 202
    (record,) = await records(bus.topics.inbox)
    alert = alert_in(record)
    assert (alert.priority, alert.llm_provider) == ("urgent", "scripted")
    assert alert.mcp == McpSelection(
        servers=(
            McpServerSelection(name="kubernetes", tools=("pods_list", "pods_log")),
            McpServerSelection(name="prometheus"),
        ),
        native_tools={"google_search": False},
    )


@pytest.mark.parametrize("mcp", [None, {}])
async def test_without_a_choice_all_is_as_configured(
    ingest: Ingest, bus: Bus, records: Records, mcp: dict[str, Any] | None
) -> None:
    body = {"data": "disk full", "mcp": mcp, "priority": None, "runbook": ""}
    assert (await ingest.client.post(ALERTS, json=body)).status_code == 202
    (record,) = await records(bus.topics.inbox)
    alert = alert_in(record)
    assert (alert.mcp, alert.priority, alert.runbook_url) == (None, None, None)


async def test_an_alertmanager_alert_with_a_runbook_from_elsewhere_is_taken(
    ingest: Ingest, bus: Bus, records: Records, samples: dict[str, Any]
) -> None:
    assert (await ingest.client.post(WEBHOOK, json=samples["firing"])).status_code == 202
    (record,) = await records(bus.topics.inbox)
    url = alert_in(record).runbook_url
    assert url == "https://runbooks.prometheus-operator.dev/runbooks/kubernetes/kubepodcrashlooping"


async def test_an_alert_that_nobody_sent_before_is_a_session_of_its_own(ingest: Ingest) -> None:
    assert await submit(ingest, "disk full") != await submit(ingest, "disk full again")


async def test_the_same_key_of_the_same_caller_meets_the_same_session(
    ingest: Ingest, bus: Bus, records: Records
) -> None:
    first = await submit(ingest, **{"Idempotency-Key": "k1"})
    assert await submit(ingest, **{"Idempotency-Key": "k1"}) == first
    assert await submit(ingest, **{"Idempotency-Key": "k2"}) != first
    assert await submit(ingest, **{"Idempotency-Key": "k1", "X-Forwarded-User": "ana"}) != first
    ids = [delivery(record).envelope.id for record in await records(bus.topics.inbox) if session_of(record) == first]
    assert len(ids) == 2
    assert len(set(ids)) == 1


async def test_another_body_under_the_same_key_is_refused(ingest: Ingest, bus: Bus, records: Records) -> None:
    key = {"Idempotency-Key": "k1"}
    await submit(ingest, "disk full", **key)
    for body in ({"data": "disk empty"}, {"data": "disk full", "priority": "urgent"}):
        answer = await ingest.client.post(ALERTS, json=body, headers=key)
        assert (answer.status_code, answer.headers["content-type"]) == (422, "application/problem+json")
    assert len(await records(bus.topics.inbox)) == 1
    assert await submit(ingest, "disk empty", **{"X-Forwarded-User": "ana"}, **key)


async def test_what_was_refused_under_a_key_does_not_hold_it(ingest: Ingest) -> None:
    key = {"Idempotency-Key": "k1"}
    assert (await ingest.client.post(ALERTS, json={"data": ""}, headers=key)).status_code == 400
    await submit(ingest, "disk full", **key)


@pytest.mark.parametrize(
    ("headers", "author"),
    [
        ({}, "api-client"),
        ({"X-Remote-User": "rosa"}, "rosa"),
        ({"X-Remote-User": "rosa", "X-Forwarded-Email": "ana@example.com"}, "ana@example.com"),
        ({"X-Forwarded-Email": "ana@example.com", "X-Forwarded-User": "ana"}, "ana"),
    ],
)
async def test_the_author_is_whom_the_proxy_names(
    ingest: Ingest, bus: Bus, records: Records, headers: dict[str, str], author: str
) -> None:
    await submit(ingest, **headers)
    (record,) = await records(bus.topics.inbox)
    assert alert_in(record).author == author


async def test_each_firing_alert_of_a_webhook_is_queued(
    ingest: Ingest, bus: Bus, records: Records, samples: dict[str, Any]
) -> None:
    response = await ingest.client.post(WEBHOOK, json=samples["grouped_25_alerts_max_alerts_10"])
    assert response.status_code == 202
    answer = response.json()
    assert answer["truncated_alerts"] == 15
    assert {alert["status"] for alert in answer["alerts"]} == {"queued"}
    told = {alert["session_id"] for alert in answer["alerts"]}
    assert {session_of(record) for record in await records(bus.topics.inbox)} == told
    assert len(told) == 10


async def test_a_resolution_is_reported_to_the_session_of_its_alert(
    ingest: Ingest, bus: Bus, records: Records, samples: dict[str, Any]
) -> None:
    firing = await ingest.client.post(WEBHOOK, json=samples["firing"])
    response = await ingest.client.post(WEBHOOK, json=samples["resolved"])
    assert response.status_code == 202
    (alert,) = response.json()["alerts"]
    assert (alert["fingerprint"], alert["status"]) == ("f62520c3dcfa37ee", "resolved")
    session_id = firing.json()["alerts"][0]["session_id"]
    assert alert["message"] == f"The alert is resolved: its session ({session_id}) is told, if there is one."
    assert "session_id" not in alert, "nothing is investigated: clients look at the sessions that are named"
    received, reported = await records(bus.topics.inbox)
    assert session_of(reported) == session_of(received)
    ends_at = datetime(2026, 11, 21, 20, 47, 40, 189_000, tzinfo=UTC)
    fired = delivery(received).decode(INPUTS)
    assert isinstance(fired, AlertReceived)
    assert fired.deduplication is not None
    assert delivery(reported).decode(INPUTS) == AlertResolutionReported(
        source="alertmanager", ends_at=ends_at, deduplication_key=fired.deduplication.key
    )
    assert ingest.counted("alertmanager", "resolved") == 1


async def test_the_same_resolution_sent_again_is_the_same_input(
    ingest: Ingest, bus: Bus, records: Records, samples: dict[str, Any]
) -> None:
    for _ in range(2):
        await ingest.client.post(WEBHOOK, json=samples["resolved"])
    one, other = await records(bus.topics.inbox)
    assert delivery(one).envelope.id == delivery(other).envelope.id


async def test_a_resolution_that_kafka_did_not_take_is_sent_again_by_its_sender(
    ingest: Ingest, inbox_writable: Writable, samples: dict[str, Any]
) -> None:
    await inbox_writable(False)
    assert (await ingest.client.post(WEBHOOK, json=samples["resolved"])).status_code == 503
    assert ingest.counted("alertmanager", "resolved") == 0
    assert ingest.counted("alertmanager", "not_written") == 1


async def test_the_agent_reads_a_webhooks_alert_as_json(
    ingest: Ingest, bus: Bus, records: Records, samples: dict[str, Any]
) -> None:
    await ingest.client.post(WEBHOOK, json=samples["firing"])
    (record,) = await records(bus.topics.inbox)
    alert = alert_in(record)
    assert json.loads(alert.data)["labels"]["pod"] == "checkout-1"
    assert alert.data.startswith('{\n  "labels"')
    assert (alert.title, alert.severity) == ("Pod is crash looping.", "warning")
    episode = session_of_alertmanager(fingerprint="f62520c3dcfa37ee", starts_at="2026-11-21T20:47:33.189Z")
    key = deduplication_key("alertmanager", "f62520c3dcfa37ee")
    assert session_of(record) == session_beside(episode, key, bus.layout.log_partitions)


async def test_a_secret_reaches_neither_the_inbox_nor_the_log(
    ingest: Ingest, bus: Bus, records: Records, samples: dict[str, Any]
) -> None:
    webhook = samples["firing"]
    webhook["alerts"][0]["annotations"] |= {
        "summary": LEAK,
        "description": LEAK,
        "runbook_url": f"https://u:{SECRET}@r.example.com/x",
    }
    with structlog.testing.capture_logs() as logged:
        await submit(ingest, LEAK, **{"X-Forwarded-User": LEAK})
        assert (await ingest.client.post(WEBHOOK, json=webhook)).status_code == 202
    found = await records(bus.topics.inbox)
    assert len(found) == 2
    assert all(SECRET.encode() not in (record.value or b"") for record in found)
    assert [line["event"] for line in logged].count("alert.queued") == 2
    assert SECRET not in repr(logged)


async def test_what_postgresql_cannot_hold_is_replaced(ingest: Ingest, bus: Bus, records: Records) -> None:
    await submit(ingest, "disk\0full")
    (record,) = await records(bus.topics.inbox)
    assert alert_in(record).data == "disk\N{REPLACEMENT CHARACTER}full"


async def test_an_alert_that_is_too_large_as_json_is_refused_with_its_place(
    ingest: Ingest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(intake, "ALERT_LIMIT_BYTES", 1_000)
    response = await ingest.client.post(ALERTS, json={"data": "\x01" * 200})
    assert response.status_code == 413
    assert [error["pointer"] for error in response.json()["errors"]] == ["/data"]
    assert ingest.counted("api", "refused") == 1


async def test_an_alert_that_grows_beyond_a_record_is_too_large(ingest: Ingest) -> None:
    response = await ingest.client.post(ALERTS, json={"data": "\x01" * (1024 * 1024)})
    assert response.status_code == 413
    assert ingest.counted("api", "refused") == 1


async def test_an_alert_that_kafka_does_not_acknowledge_is_to_be_sent_again(
    ingest: Ingest, inbox_writable: Writable
) -> None:
    await inbox_writable(False)
    response = await ingest.client.post(ALERTS, json={"data": "disk full"})
    assert response.status_code == 503
    assert response.headers["retry-after"] == "5"
    assert ingest.counted("api", "not_written") == 1
    assert ingest.value("tarsy_kafka_records_total", service="ingest", topic="inbox", outcome="not_written") == 1
    await inbox_writable(True)

    async def taken() -> bool:
        return (await ingest.client.post(ALERTS, json={"data": "disk full"})).status_code == 202

    await eventually(taken, "one of the requests finds out that Kafka is back")
    await submit(ingest, "another disk full")
