"""A record of the alerts topic is recognised by what it looks like, and what looks like nothing known is text."""

import base64
import json
from typing import Any

import pytest

from tarsy_contracts.identities import session_of_alertmanager, session_of_cloudevent, session_of_record
from tarsy_ingest.incoming import AlertTypes, Incoming, Refused
from tarsy_ingest.record_form import Position, read_record

type Headers = list[tuple[str, bytes | None]]

POSITION = Position("cluster", "tarsy.alerts", 3, 41)
OWN_SESSION = session_of_record(cluster="cluster", topic="tarsy.alerts", partition=3, offset=41)
EVENT_SESSION = session_of_cloudevent(source="/monitoring", id="e-1")


def read(value: Any, types: AlertTypes, headers: Headers | None = None) -> list[Incoming]:
    raw = value if isinstance(value, bytes | None) else json.dumps(value).encode()
    return read_record(raw, headers or [], POSITION, types)


def reason(value: Any, types: AlertTypes, headers: Headers | None = None) -> str:
    with pytest.raises(Refused) as caught:
        read(value, types, headers)
    return str(caught.value)


def test_a_webhook_is_one_session_for_each_firing_alert(samples: dict[str, Any], types: AlertTypes) -> None:
    (alert,) = read(samples["firing"], types)
    assert alert.session_id == session_of_alertmanager(
        fingerprint="f62520c3dcfa37ee", starts_at="2026-11-21T20:47:33.189Z"
    )
    assert alert.alert_type == "KubePodCrashLooping"
    assert len(read(samples["grouped_25_alerts_max_alerts_10"], types)) == 10
    assert read(samples["resolved"], types) == []


def test_the_body_of_the_api_is_read_as_over_http(types: AlertTypes) -> None:
    (alert,) = read({"alert_type": "database", "data": "disk full", "runbook": "https://r.example.com/x"}, types)
    assert (alert.alert_type, alert.data, alert.source) == ("database", "disk full", "kafka")
    assert (alert.session_id, alert.runbook_url) == (OWN_SESSION, "https://r.example.com/x")


def test_a_structured_cloudevent_is_identified_by_source_and_id(types: AlertTypes) -> None:
    event = {"specversion": "1.0", "id": "e-1", "source": "/monitoring", "type": "database", "data": {"disk": "full"}}
    (alert,) = read(event, types)
    assert (alert.session_id, alert.source, alert.author) == (EVENT_SESSION, "cloudevent", "/monitoring")
    assert (alert.alert_type, alert.title, alert.data) == ("database", "database", {"disk": "full"})


def test_a_structured_cloudevent_may_carry_base64(types: AlertTypes) -> None:
    event = {"specversion": "1.0", "id": "e-1", "source": "/monitoring", "type": "t"}
    (alert,) = read(event | {"data_base64": base64.b64encode(b"disk full").decode()}, types)
    assert (alert.data, alert.alert_type) == ("disk full", "kubernetes")
    assert "/data_base64" in reason(event | {"data_base64": "%%%"}, types)


def test_a_binary_cloudevent_is_identified_by_its_headers(types: AlertTypes) -> None:
    headers: Headers = [
        ("ce_specversion", b"1.0"),
        ("ce_id", b"e-1"),
        ("ce_source", b"/monitoring"),
        ("ce_type", b"disk.full"),
        ("ce_subject", b"db-1"),
    ]
    (alert,) = read(b"disk full", types, headers)
    assert (alert.session_id, alert.title, alert.data) == (EVENT_SESSION, "db-1", "disk full")


@pytest.mark.parametrize(
    "text", ["disk full on db-1", '{"host": "db-1"}', "[1, 2]", "null", '{"data": "x", "host": 1}']
)
def test_anything_else_is_text_for_the_agent_as_it_is(types: AlertTypes, text: str) -> None:
    (alert,) = read(text.encode(), types)
    assert (alert.data, alert.alert_type, alert.source) == (text, "kubernetes", "kafka")
    assert alert.session_id == OWN_SESSION


@pytest.mark.parametrize("value", [None, b"", b" \n"])
def test_a_record_with_nothing_in_it_cannot_be_read(types: AlertTypes, value: bytes | None) -> None:
    assert reason(value, types) == "/: is empty"


def test_bytes_that_are_not_text_cannot_be_read(types: AlertTypes) -> None:
    assert reason(b"\xff\xfe\x00", types) == "/: is not UTF-8 text"


def test_more_than_a_megabyte_cannot_be_read(types: AlertTypes) -> None:
    assert "is larger than 1048576 bytes" in reason(b"x" * (1024 * 1024 + 1), types)


def test_a_known_form_with_wrong_fields_cannot_be_read(samples: dict[str, Any], types: AlertTypes) -> None:
    webhook = json.loads(json.dumps(samples["firing"]))
    del webhook["alerts"][0]["startsAt"]
    assert reason(webhook, types) == "/alerts/0/startsAt: Field required"
    assert reason({"data": 5}, types) == "/data: Input should be a valid string"
    assert "/alert_type: no chain" in reason({"data": "x", "alert_type": "network"}, types)
    assert reason({"specversion": "1.0", "source": "/m", "data": "x"}, types) == "/id: Field required"
    assert reason({"specversion": "1.0", "source": "/m", "id": "1"}, types) == "/data: is missing"


def test_a_cloudevent_header_that_is_not_text_cannot_be_read(types: AlertTypes) -> None:
    assert reason(b"x", types, [("ce_id", b"\xff")]) == "/ce_id: is a header that is not UTF-8 text"
    assert reason(b"x", types, [("ce_id", b"1")]) == "/source: Field required"


def test_other_headers_may_hold_what_they_like(types: AlertTypes) -> None:
    assert len(read(b"disk full", types, [("x", b"\xff"), ("y", None)])) == 1


def test_no_value_is_repeated_in_a_reason(types: AlertTypes) -> None:
    assert "hunter2" not in reason({"data": ["hunter2"], "mcp": "hunter2"}, types)
