"""Labels that senders chose are kept with the alert, for session groups."""

import json
from typing import Any

import pytest

from tarsy_ingest.intake.json_fields import objects_in
from tarsy_ingest.intake.labels import labels_of


def labels(value: Any) -> dict[str, str]:
    return labels_of(objects_in(json.dumps(value)))


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"labels": {"team": "shop", "Owner": " ann "}}, {"team": "shop", "owner": "ann"}),
        ({"team": "shop", "severity": "high"}, {"team": "shop", "severity": "high"}),
        ({"team": "top", "labels": {"team": "inside"}}, {"team": "top"}),
        ({"payload": {"custom_details": {"team": "shop"}}}, {"team": "shop"}),
        ({"tags": {"app.kubernetes.io/owner": "ann"}}, {"app.kubernetes.io/owner": "ann"}),
        ([{"labels": {"team": "shop"}}], {"team": "shop"}),
    ],
)
def test_a_label_is_found_where_senders_write_it(data: Any, expected: dict[str, str]) -> None:
    assert labels(data) == expected


@pytest.mark.parametrize(
    "data",
    [
        {"annotations": {"team": "prose"}, "commonAnnotations": {"team": "prose"}},
        {"labels": {"namespace": "a", "cluster": "b", "workload": "c", "alert_type": "d"}},
        {"labels": {"team": "x" * 254, "te am": "a", "te=am": "b", "n" * 101: "c", "two": "li\nnes", "": "d"}},
        {"labels": {"team": 5, "owner": ["ann"]}},
        [{"labels": {"team": "a"}}, {"labels": {"team": "b"}}],
        "team",
    ],
    ids=["annotations", "facets", "no labels", "no texts", "two alerts", "text"],
)
def test_what_is_no_label_of_the_senders_own_is_left_out(data: Any) -> None:
    assert labels(data) == {}


def test_the_labels_of_an_alert_are_bounded() -> None:
    many = labels({"labels": {f"l{number}": "v" for number in range(1000)}})
    assert [*many] == [f"l{number}" for number in range(64)]
