"""Nothing of an alert is written before it was masked, in whatever form it came, and wherever in it a secret stands."""

from dataclasses import replace
from typing import Any

import httpx2
import pytest
from pydantic import JsonValue

from tarsy_contracts.alert import McpSelection, McpServerSelection
from tarsy_ingest.alert_rules import AlertTypes
from tarsy_ingest.formats.cloud_event import read_binary
from tarsy_ingest.intake.alert_masking import AlertMaskers, is_small, mask_alert
from tarsy_ingest.raw_alert import RawAlert
from tarsy_masking.masker import REDACTED, Masker
from tarsy_testing.broken_masker import broken_masker

KEY = bytes(range(32))
TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3
MAIL = "ann@shop.example"
BUILT_IN = Masker.default(KEY)
MASKING = AlertMaskers(BUILT_IN, BUILT_IN)
FULL = RawAlert(
    session_id="s-1",
    alert_type="kubernetes",
    data=f"the token is {TOKEN}",
    source="api",
    author=f"bob {TOKEN}",
    title=f"Crash {TOKEN}",
    severity=f"critical {TOKEN}",
    runbook_url=f"https://github.com/a/b?x={TOKEN}",
    mcp=McpSelection(servers=(McpServerSelection(name=f"db {TOKEN}", tools=(f"query {TOKEN}",)),)),
    slack_message_fingerprint=f"fired {TOKEN}",
)


def test_one_secret_has_one_placeholder_in_all_that_an_alert_says() -> None:
    placeholder = BUILT_IN.for_session("s-1").mask(TOKEN)
    alert = mask_alert(FULL, MASKING)
    assert TOKEN not in alert.model_dump_json()
    assert alert.mcp is not None
    texts = (alert.data, alert.author, alert.title, alert.severity or "", alert.mcp.servers[0].name)
    assert [placeholder in text for text in (*texts, alert.slack_message_fingerprint or "")] == [True] * 6


def test_of_another_session_it_has_another() -> None:
    one, two = (mask_alert(replace(FULL, session_id=id), MASKING).title for id in ("s-1", "s-2"))
    assert one != two


def test_names_in_data_are_masked_too_and_the_rest_stays_as_it_came() -> None:
    data: JsonValue = {"labels": {TOKEN: "x", "pod": "api-7"}, "password": "hunter2-secret", "count": 3}
    alert = mask_alert(replace(FULL, data=data), MASKING)
    assert TOKEN not in alert.data
    assert "hunter2" not in alert.data
    assert '"pod": "api-7"' in alert.data
    assert '"count": 3' in alert.data


def test_what_was_masked_in_json_is_not_masked_again_as_text() -> None:
    session = BUILT_IN.for_session("s-1")
    alert = mask_alert(replace(FULL, data={"password": "hunter2-secret", "note": f"see {TOKEN}"}), MASKING)
    hidden = session.mask_json({"password": "hunter2-secret"})
    assert isinstance(hidden, dict)
    assert f'"password": "{hidden["password"]}"' in alert.data
    assert f'"note": "see {session.mask(TOKEN)}"' in alert.data


def test_a_secret_that_only_one_line_makes_is_masked() -> None:
    assert "hunter2" not in mask_alert(replace(FULL, title="password:\n\nhunter2-secret"), MASKING).title


def test_the_source_of_a_cloudevent_is_a_strangers_text(types: AlertTypes) -> None:
    notice = read_binary({"ce_id": TOKEN, "ce_source": f"/x/{TOKEN}", "ce_subject": TOKEN}, "text", types)
    assert isinstance(notice.alert, RawAlert)
    assert TOKEN not in mask_alert(notice.alert, MASKING).model_dump_json()


def test_what_is_added_for_alerts_does_not_hide_who_sent_them() -> None:
    masking = AlertMaskers(BUILT_IN, BUILT_IN.with_rules(("security",), ()))
    alert = mask_alert(replace(FULL, data=f"ask {MAIL}", author=MAIL), masking)
    assert alert.author == MAIL
    assert alert.data.startswith("ask [MASKED_EMAIL_")


def test_what_is_added_leaves_the_placeholders_of_the_built_in_set_as_they_are() -> None:
    """Else the same password has another placeholder in the alert than in a result."""
    leak = "postgres://checkout:fake-0rders-Pa55@orders-db.shop.svc:5432/orders"
    masking = AlertMaskers(BUILT_IN, BUILT_IN.with_rules(("security",), ()))
    assert mask_alert(replace(FULL, data=leak), masking).data == BUILT_IN.for_session("s-1").mask(leak)


@pytest.mark.parametrize("data", [TOKEN, {"x": {"y": TOKEN}}, [TOKEN]])
def test_when_masking_fails_nothing_of_the_alert_is_written(data: Any) -> None:
    alert = mask_alert(replace(FULL, data=data), AlertMaskers(broken_masker(), broken_masker()))
    assert TOKEN not in alert.model_dump_json()
    texts = (alert.data, alert.author, alert.title, alert.severity, alert.runbook_url)
    assert set(texts) == {REDACTED}


async def test_a_refusal_does_not_repeat_the_names_that_were_sent(unconnected: httpx2.AsyncClient) -> None:
    answer = await unconnected.post("/api/v1/alerts", json={"data": "x", TOKEN: 1})
    assert answer.status_code == 400
    assert TOKEN not in answer.text
    assert answer.json()["errors"][0]["pointer"] == f"/{Masker.default().mask(TOKEN)}"


@pytest.mark.parametrize("data", ["x" * 2_000, {"labels": {"pod": "checkout-1"}, "lines": ["x" * 1_000] * 5}, None, 5])
def test_a_small_alert_needs_no_thread(data: JsonValue) -> None:
    assert is_small(replace(FULL, data=data, mcp=None))


@pytest.mark.parametrize("data", ["x" * 20_000, {"many": ["x"] * 100}, {"deep": [[]] * 20_000}])
def test_an_alert_of_many_or_long_texts_is_not_small(data: JsonValue) -> None:
    assert not is_small(replace(FULL, data=data, mcp=None))


def test_an_alert_that_chooses_servers_is_not_small() -> None:
    assert not is_small(FULL)
