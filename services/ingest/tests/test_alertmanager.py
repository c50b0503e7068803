"""Each firing alert of a webhook is one session; what identifies it is its episode."""

from copy import deepcopy
from datetime import UTC, datetime
from typing import Any

import pytest

from tarsy_contracts.wire.ids import session_of_alertmanager
from tarsy_ingest.alert_rules import AlertTypes
from tarsy_ingest.formats.alertmanager import read_webhook
from tarsy_ingest.raw_alert import AlertRejectedError, AlertResolution, AlertTooLargeError, Fingerprint, RawAlert


def only(webhook: Any, types: AlertTypes, alert_type: str | None = None) -> RawAlert:
    (notice,) = read_webhook(webhook, types, alert_type=alert_type).notices
    assert isinstance(notice.alert, RawAlert)
    return notice.alert


@pytest.fixture
def firing(samples: dict[str, Any]) -> Any:
    return deepcopy(samples["firing"])


def test_a_firing_alert_becomes_a_session_of_its_episode(firing: Any, types: AlertTypes) -> None:
    raw_alert = only(firing, types)
    assert raw_alert.session_id == session_of_alertmanager(
        fingerprint="f62520c3dcfa37ee", starts_at="2026-11-21T20:47:33.189Z"
    )
    assert (raw_alert.source, raw_alert.author) == ("alertmanager", "alertmanager")
    assert (raw_alert.title, raw_alert.severity) == ("Pod is crash looping.", "warning")
    assert raw_alert.runbook_url is not None
    assert raw_alert.runbook_url.endswith("/kubepodcrashlooping")


def test_the_agent_gets_what_the_alert_says(firing: Any, types: AlertTypes) -> None:
    data = only(firing, types).data
    assert isinstance(data, dict)
    alert = firing["alerts"][0]
    assert data == {
        "labels": alert["labels"],
        "annotations": alert["annotations"],
        "startsAt": alert["startsAt"],
        "generatorURL": alert["generatorURL"],
        "groupLabels": firing["groupLabels"],
    }


def test_the_same_episode_in_another_webhook_is_the_same_session(firing: Any, types: AlertTypes) -> None:
    again = deepcopy(firing)
    again["alerts"][0]["annotations"]["summary"] = "Still crash looping."
    assert only(again, types).session_id == only(firing, types).session_id


def test_the_next_episode_is_another_session(firing: Any, types: AlertTypes) -> None:
    later = deepcopy(firing)
    later["alerts"][0]["startsAt"] = "2026-11-22T01:00:00Z"
    assert only(later, types).session_id != only(firing, types).session_id


def test_a_resolved_alert_belongs_to_the_session_that_it_opened(
    samples: dict[str, Any], firing: Any, types: AlertTypes
) -> None:
    (notice,) = read_webhook(samples["resolved"], types).notices
    ends_at = datetime(2026, 11, 21, 20, 47, 40, 189_000, tzinfo=UTC)
    fired = only(firing, types)
    assert notice.alert == AlertResolution(
        session_id=fired.session_id,
        source="alertmanager",
        ends_at=ends_at,
        alert_type=fired.alert_type,
        same=Fingerprint("alertmanager", "f62520c3dcfa37ee"),
    )


@pytest.mark.parametrize(
    ("written", "ends_at"),
    [
        ("2026-11-21T21:47:40.189123456+01:00", datetime(2026, 11, 21, 20, 47, 40, 189_123, tzinfo=UTC)),
        ("0001-01-01T00:00:00Z", None),
        ("9999-12-31T23:59:59-10:00", None),
        ("2026-11-21T21:47:40", None),
        ("just now", None),
        ("", None),
    ],
)
def test_a_resolution_is_not_lost_for_its_time(
    samples: dict[str, Any], types: AlertTypes, written: str, ends_at: datetime | None
) -> None:
    resolved = deepcopy(samples["resolved"])
    resolved["alerts"][0]["endsAt"] = written
    (notice,) = read_webhook(resolved, types).notices
    assert isinstance(notice.alert, AlertResolution)
    assert notice.alert.ends_at == ends_at


def test_a_group_is_one_session_for_each_alert(samples: dict[str, Any], types: AlertTypes) -> None:
    found = read_webhook(samples["grouped_25_alerts_max_alerts_10"], types)
    assert len({notice.alert.session_id for notice in found.notices if isinstance(notice.alert, RawAlert)}) == 10
    assert found.truncated_alerts == 15


@pytest.mark.parametrize(
    ("asked", "label", "alertname", "expected"),
    [
        ("database", "kubernetes", "KubePodCrashLooping", "database"),
        (None, "database", "KubePodCrashLooping", "database"),
        (None, None, "KubePodCrashLooping", "KubePodCrashLooping"),
        (None, None, "HighErrorRate", "kubernetes"),
        (None, "no-such-type", "KubePodCrashLooping", "KubePodCrashLooping"),
    ],
)
def test_the_alert_type_is_asked_for_then_labelled_then_the_name_then_the_default(
    firing: Any, types: AlertTypes, asked: str | None, label: str | None, alertname: str, expected: str
) -> None:
    labels = firing["alerts"][0]["labels"]
    labels["alertname"] = alertname
    if label is not None:
        labels["alert_type"] = label
    assert only(firing, types, asked).alert_type == expected


def test_without_a_summary_the_name_is_the_title(firing: Any, types: AlertTypes) -> None:
    del firing["alerts"][0]["annotations"]["summary"]
    assert only(firing, types).title == "KubePodCrashLooping"


def test_a_runbook_that_no_browser_should_open_is_left_out(firing: Any, types: AlertTypes) -> None:
    firing["alerts"][0]["annotations"]["runbook_url"] = "javascript:alert(1)"
    assert only(firing, types).runbook_url is None


def test_a_label_may_name_the_runbook_too(firing: Any, types: AlertTypes) -> None:
    alert = firing["alerts"][0]
    alert["annotations"]["runbook_url"] = "see the wiki"
    alert["labels"]["runbook_url"] = "https://r.example.com/x"
    assert only(firing, types).runbook_url == "https://r.example.com/x"


@pytest.mark.parametrize(
    ("label", "annotation", "expected"),
    [
        ("urgent", None, "urgent"),
        (None, " High ", "high"),
        ("low", "high", "low"),
        ("P1", "high", "high"),
        ("P1", None, None),
        (None, None, None),
    ],
)
def test_a_label_or_an_annotation_may_say_the_priority(
    firing: Any, types: AlertTypes, label: str | None, annotation: str | None, expected: str | None
) -> None:
    alert = firing["alerts"][0]
    alert["labels"] |= {} if label is None else {"tarsy_priority": label}
    alert["annotations"] |= {} if annotation is None else {"tarsy_priority": annotation}
    assert only(firing, types).priority == expected


def test_every_wrong_field_is_told_with_its_place(firing: Any, types: AlertTypes) -> None:
    firing["alerts"][0]["status"] = "pending"
    del firing["alerts"][0]["startsAt"]
    with pytest.raises(AlertRejectedError) as caught:
        read_webhook(firing, types)
    assert [place for place, _ in caught.value.mistakes] == [("alerts", 0, "status"), ("alerts", 0, "startsAt")]
    with pytest.raises(AlertRejectedError, match=r"^/version: "):
        read_webhook(firing | {"version": "3"}, types)


def test_an_alert_type_that_no_chain_has_is_refused(firing: Any, types: AlertTypes) -> None:
    with pytest.raises(AlertRejectedError, match="/alert_type: no chain has this alert type"):
        read_webhook(firing, types, alert_type="network")


def test_an_alert_above_the_limit_is_too_much(firing: Any, types: AlertTypes) -> None:
    firing["alerts"][0]["annotations"]["description"] = "x" * 1024 * 1024
    with pytest.raises(AlertTooLargeError, match="/alerts/0: is larger"):
        read_webhook(firing, types)
