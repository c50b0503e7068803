"""A record of the alerts topic is recognised by what it looks like, and what looks like nothing known is text."""

import base64
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tarsy_contracts.alert import McpSelection, McpServerSelection
from tarsy_contracts.wire.ids import session_of_alertmanager, session_of_cloudevent, session_of_record
from tarsy_ingest.alert_rules import AlertRules
from tarsy_ingest.raw_alert import AlertRejectedError, RawAlert
from tarsy_ingest.topic.record_parser import RecordPosition, read_record

type Headers = list[tuple[str, bytes | None]]

POSITION = RecordPosition("cluster", "tarsy.alerts", 3, 41)
OWN_SESSION = session_of_record(cluster="cluster", topic="tarsy.alerts", partition=3, offset=41)
EVENT_SESSION = session_of_cloudevent(source="/monitoring", id="e-1")


def read(value: Any, rules: AlertRules, headers: Headers | None = None) -> list[RawAlert]:
    raw = value if isinstance(value, bytes | None) else json.dumps(value).encode()
    found = read_record(raw, headers or [], POSITION, rules).notices
    return [one.alert for one in found if isinstance(one.alert, RawAlert)]


def reason(value: Any, rules: AlertRules, headers: Headers | None = None) -> str:
    with pytest.raises(AlertRejectedError) as caught:
        read(value, rules, headers)
    return str(caught.value)


def test_a_webhook_is_one_session_for_each_firing_alert(samples: dict[str, Any], rules: AlertRules) -> None:
    (alert,) = read(samples["firing"], rules)
    assert alert.session_id == session_of_alertmanager(
        fingerprint="f62520c3dcfa37ee", starts_at="2026-11-21T20:47:33.189Z"
    )
    assert alert.alert_type == "KubePodCrashLooping"
    assert len(read(samples["grouped_25_alerts_max_alerts_10"], rules)) == 10
    assert read(samples["resolved"], rules) == []


def test_the_body_of_the_api_is_read_as_over_http(rules: AlertRules) -> None:
    (alert,) = read({"alert_type": "database", "data": "disk full", "runbook": "https://r.example.com/x"}, rules)
    assert (alert.alert_type, alert.data, alert.source) == ("database", "disk full", "kafka")
    assert (alert.session_id, alert.runbook_url) == (OWN_SESSION, "https://r.example.com/x")


def test_the_body_of_the_api_may_choose_on_the_topic_too(rules: AlertRules) -> None:
    choice = {"priority": "low", "title": "Disk full", "mcp": {"servers": [{"name": "kubernetes"}]}}
    (alert,) = read({"data": "x"} | choice, rules)
    assert (alert.data, alert.priority, alert.title) == ("x", "low", "Disk full")
    assert alert.mcp == McpSelection(servers=(McpServerSelection(name="kubernetes"),))


def test_a_provider_of_the_configuration_may_be_chosen_and_another_is_refused(rules: AlertRules) -> None:
    (alert,) = read({"data": "x", "llm_provider": "other"}, rules)
    assert alert.llm_provider == "other"
    with pytest.raises(
        AlertRejectedError, match="/llm_provider: no LLM provider has this name; known: other, scripted"
    ):
        read({"data": "x", "llm_provider": "nope"}, rules)


@pytest.mark.parametrize(
    "wrong",
    [
        {"priority": "P1"},
        {"llm_provider": 5},
        {"priority": 5},
        {"title": 5},
        {"runbook": "see the wiki"},
        {"runbook": ["https://github.com/x"]},
        {"mcp": "kubernetes"},
        {"mcp": {"servers": [{"name": 5}]}},
        {"mcp": {"typo": 1}, "priority": "P1", "runbook": "x"},
    ],
)
def test_a_mistake_in_what_an_alert_can_do_without_loses_nothing(rules: AlertRules, wrong: dict[str, Any]) -> None:
    body = {"data": "disk full", "alert_type": "database"} | wrong
    (alert,) = read(body, rules)
    assert (alert.session_id, alert.alert_type, alert.data) == (OWN_SESSION, "database", body)
    assert (alert.mcp, alert.priority, alert.runbook_url) == (None, None, None)


def test_a_choice_that_only_the_session_can_refuse_is_kept(rules: AlertRules) -> None:
    body = {"data": "x", "runbook": "https://evil.net/x", "mcp": {"servers": [{"name": "nope"}]}}
    (alert,) = read(body, rules)
    assert (alert.data, alert.runbook_url) == ("x", "https://evil.net/x")
    assert alert.mcp == McpSelection(servers=(McpServerSelection(name="nope"),))


def test_a_cloudevent_may_carry_the_body_of_the_api(rules: AlertRules) -> None:
    body = {"data": "disk full", "alert_type": "database", "runbook": "https://r.example.com/x", "priority": "high"}
    event = {"specversion": "1.0", "id": "e-1", "source": "/monitoring", "type": "disk.full", "data": body}
    headers: Headers = [("ce_id", b"e-1"), ("ce_source", b"/monitoring"), ("ce_type", b"disk.full")]
    for (alert,) in (read(event, rules), read(body, rules, headers)):
        assert (alert.session_id, alert.source, alert.author) == (EVENT_SESSION, "cloudevent", "/monitoring")
        assert (alert.data, alert.alert_type, alert.title) == ("disk full", "database", "")
        assert (alert.runbook_url, alert.priority) == ("https://r.example.com/x", "high")


@pytest.mark.parametrize(
    "data", [{"data": "x", "alert_type": 5}, {"data": " "}, {"data": 5}, {"data": "x", "host": "db-1"}, {}]
)
def test_data_of_a_cloudevent_that_is_not_ours_is_read_as_it_is(rules: AlertRules, data: dict[str, Any]) -> None:
    event = {"specversion": "1.0", "id": "e-1", "source": "/monitoring", "type": "database", "data": data}
    (alert,) = read(event, rules)
    assert (alert.data, alert.alert_type) == (data, "database")


def test_a_structured_cloudevent_is_identified_by_source_and_id(rules: AlertRules) -> None:
    event = {"specversion": "1.0", "id": "e-1", "source": "/monitoring", "type": "database", "data": {"disk": "full"}}
    (alert,) = read(event, rules)
    assert (alert.session_id, alert.source, alert.author) == (EVENT_SESSION, "cloudevent", "/monitoring")
    assert (alert.alert_type, alert.title, alert.data) == ("database", "", {"disk": "full"})


def test_a_structured_cloudevent_may_carry_base64(rules: AlertRules) -> None:
    event = {"specversion": "1.0", "id": "e-1", "source": "/monitoring", "type": "t"}
    (alert,) = read(event | {"data_base64": base64.b64encode(b"disk full").decode()}, rules)
    assert (alert.data, alert.alert_type) == ("disk full", "kubernetes")
    for wrong in ("%%%", "Größe", base64.b64encode(b"\xff").decode()):
        assert "/data_base64" in reason(event | {"data_base64": wrong}, rules)


def test_a_binary_cloudevent_is_identified_by_its_headers(rules: AlertRules) -> None:
    headers: Headers = [
        ("ce_specversion", b"1.0"),
        ("ce_id", b"e-1"),
        ("ce_source", b"/monitoring"),
        ("ce_type", b"disk.full"),
        ("ce_subject", b"db-1"),
    ]
    (alert,) = read(b"disk full", rules, headers)
    assert (alert.session_id, alert.title, alert.data) == (EVENT_SESSION, "db-1", "disk full")


@pytest.mark.parametrize(
    "text",
    [
        "disk full on db-1",
        '{"host": "db-1"}',
        "[1, 2]",
        "null",
        '{"data": "x", "host": 1}',
        '{"data": {}, "priority": "P1"}',
        '{"data": {}, "title": "x"}',
    ],
)
def test_anything_else_is_text_for_the_agent_as_it_is(rules: AlertRules, text: str) -> None:
    (alert,) = read(text.encode(), rules)
    assert (alert.data, alert.alert_type, alert.source) == (text, "kubernetes", "kafka")
    assert alert.session_id == OWN_SESSION


@pytest.mark.parametrize("value", [None, b"", b" \n"])
def test_a_record_with_nothing_in_it_cannot_be_read(rules: AlertRules, value: bytes | None) -> None:
    assert reason(value, rules) == "/: is empty"


def test_bytes_that_are_not_text_cannot_be_read(rules: AlertRules) -> None:
    assert reason(b"\xff\xfe\x00", rules) == "/: is not UTF-8 text"


def test_more_than_a_megabyte_cannot_be_read(rules: AlertRules) -> None:
    assert "is larger than 1048576 bytes" in reason(b"x" * (1024 * 1024 + 1), rules)


def test_a_known_form_with_wrong_fields_cannot_be_read(samples: dict[str, Any], rules: AlertRules) -> None:
    webhook = json.loads(json.dumps(samples["firing"]))
    del webhook["alerts"][0]["startsAt"]
    assert reason(webhook, rules) == "/alerts/0/startsAt: Field required"
    assert reason({"data": 5}, rules) == "/data: Input should be a valid string"
    assert "/alert_type: no chain" in reason({"data": "x", "alert_type": "network"}, rules)
    assert reason({"specversion": "1.0", "source": "/m", "data": "x"}, rules) == "/id: Field required"
    assert reason({"specversion": "1.0", "source": "/m", "id": "1"}, rules) == "/data: is missing"


def test_a_cloudevent_header_that_is_not_text_cannot_be_read(rules: AlertRules) -> None:
    assert reason(b"x", rules, [("ce_id", b"\xff")]) == "/ce_id: is a header that is not UTF-8 text"
    assert reason(b"x", rules, [("ce_id", b"1")]) == "/source: Field required"


def test_other_headers_may_hold_what_they_like(rules: AlertRules) -> None:
    assert len(read(b"disk full", rules, [("x", b"\xff"), ("y", None)])) == 1


def test_no_value_is_repeated_in_a_reason(rules: AlertRules) -> None:
    assert "hunter2" not in reason({"data": ["hunter2"], "mcp": "hunter2"}, rules)


@pytest.mark.parametrize(
    ("name", "recognised"),
    [
        ("grafana-webhook", "grafana"),
        ("pagerduty-webhook", "pagerduty"),
        ("pagerduty-event", "pagerduty-events"),
        ("alertmanager-webhook", "text"),
    ],
)
def test_a_format_is_recognised_by_its_shape(rules: AlertRules, name: str, recognised: str) -> None:
    raw = (Path(__file__).parent / f"samples/{name}.json").read_bytes()
    assert read_record(raw, [], POSITION, rules).recognised == recognised


def test_a_batch_of_cloudevents_is_a_session_for_each(rules: AlertRules) -> None:
    event = {"specversion": "1.0", "id": "e-1", "source": "/monitoring", "type": "database", "data": "x"}
    batch = [event, event | {"id": "e-2"}]
    said: Headers = [("content-type", b"application/cloudevents-batch+json")]
    for headers in ([], said):
        assert [alert.session_id for alert in read(batch, rules, headers)] == [
            EVENT_SESSION,
            session_of_cloudevent(source="/monitoring", id="e-2"),
        ]


def test_what_the_content_type_says_comes_before_what_a_record_looks_like(
    samples: dict[str, Any], rules: AlertRules
) -> None:
    (alert,) = read(samples["firing"], rules, [("Content-Type", b"text/plain; charset=utf-8")])
    assert (alert.source, alert.session_id) == ("kafka", OWN_SESSION)
    structured: Headers = [("content-type", b"application/cloudevents+json")]
    assert reason({"id": "1", "data": "x"}, rules, structured) == "/source: Field required"
    assert "is not JSON" in reason(b"disk full", rules, structured)


def test_a_byte_order_mark_is_no_part_of_an_alert(rules: AlertRules) -> None:
    mark = "\N{ZERO WIDTH NO-BREAK SPACE}".encode()
    assert read(mark + b"disk full", rules)[0].data == "disk full"
    assert read(mark + b'{"data": "disk full", "title": "db-1"}', rules)[0].title == "db-1"
    event = mark + b'{"id": "1", "source": "/m", "data": "disk full"}'
    assert read(event, rules, [("content-type", b"application/cloudevents+json")])[0].source == "cloudevent"


def test_no_alert_is_lost_for_a_content_type_that_is_no_text(rules: AlertRules) -> None:
    assert len(read(b"disk full", rules, [("content-type", b"\xff")])) == 1


def test_an_unknown_type_is_refused_or_goes_to_the_default_chain_as_configured(rules: AlertRules) -> None:
    lenient = replace(rules, types=replace(rules.types, unknown="default_chain"))
    body = {"data": "x", "alert_type": "network"}
    event = {"specversion": "1.0", "id": "e-1", "source": "/monitoring", "type": "t", "data": body}
    for value in (body, event):
        assert "/alert_type: no chain" in reason(value, rules)
        (alert,) = read(value, lenient)
        assert alert.alert_type == "kubernetes"


DOWN = {"monitor": {"id": 1, "name": "shop"}, "heartbeat": {"status": 0}}


@pytest.mark.parametrize(
    "raw",
    [
        json.dumps(DOWN).encode(),
        b"\x00\x00\x00\x00\x07" + json.dumps(DOWN).encode(),
        json.dumps({"schema": {"type": "struct"}, "payload": DOWN}).encode(),
        json.dumps({"schema": None, "payload": json.dumps(DOWN)}).encode(),
        json.dumps(json.dumps(DOWN)).encode(),
    ],
)
def test_what_serializers_and_connect_put_around_an_alert_is_taken_off(rules: AlertRules, raw: bytes) -> None:
    (alert,) = read(raw, rules)
    assert (alert.title, alert.source, alert.data) == ("shop", "json", DOWN)


@pytest.mark.parametrize(
    "value",
    [
        {"status": "resolved", "labels": {"alertname": "a"}},
        {"alerts": [{"status": "resolved", "labels": {"alertname": "a"}}], "status": "resolved"},
        {"schema": None, "payload": {"title": "[Recovered] a", "status": "resolved"}},
        {"heartbeat": {"status": 1}, "monitor": {"id": 1, "name": "shop"}},
        [{"status": "resolved", "labels": {"alertname": "a"}}],
        {"alerts": [{"status": "resolved", "labels": {"alertname": "a"}}]},
    ],
)
def test_what_is_over_is_never_investigated(rules: AlertRules, value: dict[str, Any]) -> None:
    assert read(value, rules) == []


def test_a_frame_around_what_is_no_json_goes_to_the_dead_letters(rules: AlertRules) -> None:
    assert "Confluent's frame" in reason(b"\x00\x00\x00\x00\x07\x02\x06abc", rules)


def test_a_record_is_read_in_the_charset_that_it_names(rules: AlertRules) -> None:
    encodings = {"utf-16": "utf-16", "utf-16be": "utf-16-be", "ISO-8859-1": "latin-1", "nonsense": "utf-8"}
    for name, encoding in encodings.items():
        header: Headers = [("content-type", f"text/plain; charset={name}".encode())]
        assert read("Größe".encode(encoding), rules, header)[0].data == "Größe"
