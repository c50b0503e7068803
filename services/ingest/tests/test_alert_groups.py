"""A chain that groups: an Alertmanager group is one alert that knows its members, and is over when all of them are."""

import json
from typing import Any

import pytest

from tarsy_ingest.alert_rules import AlertTypes
from tarsy_ingest.formats.alertmanager import GROUP_BYTES, read_webhook
from tarsy_ingest.intake.alert_masking import AlertMaskers, mask_alert
from tarsy_ingest.raw_alert import AlertResolution, Fingerprint, RawAlert, RejectedAlert
from tarsy_masking.masker import Masker

BUILT_IN = Masker.default(bytes(range(32)))
MASKING = AlertMaskers(BUILT_IN, BUILT_IN)
TYPES = AlertTypes({"pods": "grouped", "nodes": "grouped", "disks": "single"}, "disks", grouped=frozenset({"grouped"}))


def alert(
    name: str, kind: str = "pods", *, status: str = "firing", start: str = "2026-11-22T03:00:00Z"
) -> dict[str, Any]:
    labels = {"alertname": "PodDown", "alert_type": kind, "pod": name, "severity": "critical"}
    ends = "2026-11-22T04:00:00Z" if status == "resolved" else ""
    return {"status": status, "labels": labels, "startsAt": start, "endsAt": ends, "fingerprint": name}


def webhook(*alerts: dict[str, Any], **more: Any) -> dict[str, Any]:
    group = {"groupKey": "{}:{namespace=shop}", "groupLabels": {"namespace": "shop", "alertname": "PodDown"}}
    return {"version": "4", "alerts": list(alerts), **group, **more}


def read(*alerts: dict[str, Any], **more: Any) -> list[RawAlert | AlertResolution | RejectedAlert | None]:
    return [notice.alert for notice in read_webhook(webhook(*alerts, **more), TYPES).notices]


def raw(*alerts: dict[str, Any], **more: Any) -> RawAlert:
    [found] = read(*alerts, **more)
    assert isinstance(found, RawAlert)
    return found


def test_a_group_is_one_alert_with_all_its_alerts() -> None:
    found = raw(alert("a"), alert("b"), alert("c", status="resolved"), truncatedAlerts=3)
    assert isinstance(found.data, dict)
    told = json.loads(json.dumps(found.data))
    assert [one["labels"]["pod"] for one in told["alerts"]] == ["a", "b", "c"], "those that fire come first"
    assert told["alerts_left_out"] == 3
    assert found.title == "namespace=shop, alertname=PodDown"
    assert found.severity == "critical"
    assert len(found.members) == 2, "one that is over is no news"


def test_a_group_is_found_by_the_labels_that_all_its_alerts_share() -> None:
    more = {"cluster": "eu-1", "namespace": "shop", "team": "checkout"}
    ours = [alert(pod) for pod in ("cart-7d9f8b6c54-x2x4z", "cart-7d9f8b6c54-b5k2q")]
    for one in ours:
        one["labels"] |= more
    group = read(*ours, alert("d", "disks"), commonLabels={"alertname": "PodDown"})[-1]
    assert isinstance(group, RawAlert)
    shown = mask_alert(group, MASKING)
    assert (shown.cluster, shown.namespace, shown.severity) == ("eu-1", "shop", "critical")
    assert (shown.labels["team"], "pod" in shown.labels) == ("checkout", False)
    assert mask_alert(raw(ours[0]), MASKING).workload == "cart"


def test_a_title_that_all_share_comes_first() -> None:
    assert raw(alert("a"), commonAnnotations={"summary": "Pods are down"}).title == "Pods are down"


def test_the_group_is_known_again_when_an_alert_joins_it() -> None:
    first, later = raw(alert("a")), raw(alert("a"), alert("b", start="2026-11-22T03:05:00Z"))
    assert first.same == later.same == Fingerprint("alert-group", "grouped/{}:{namespace=shop}")
    assert first.session_id == later.session_id, "and a repeat of it weeks later is the same episode"
    assert set(later.members) - set(first.members) == {later.members[1]}


def test_the_group_is_over_when_its_last_alert_is() -> None:
    fired = raw(alert("a"))
    [over] = read(alert("a", status="resolved"), alert("b", status="resolved"))
    assert isinstance(over, AlertResolution)
    assert over.whole_group
    assert over.ends_at is not None
    assert (over.same, over.session_id) == (fired.same, fired.session_id)


def test_alerts_of_other_chains_in_the_same_group_are_sessions_of_their_own() -> None:
    found = read(alert("a"), alert("d", "disks"), alert("n", "nodes"))
    assert [one.alert_type for one in found if isinstance(one, RawAlert)] == ["disks", "pods"]
    group = found[1]
    assert isinstance(group, RawAlert)
    assert len(group.members) == 2, "pods and nodes have the same chain"


@pytest.mark.parametrize("count", [2_000])
def test_a_group_that_is_too_large_is_counted_and_not_refused(count: int) -> None:
    crowd = [alert(f"{number}" + "x" * 500) for number in range(count)]
    told = json.loads(json.dumps(raw(*crowd).data))
    assert 0 < len(told["alerts"]) < count
    assert len(told["alerts"]) + told["alerts_left_out"] == count
    assert len(json.dumps(told["alerts"])) < 2 * GROUP_BYTES
