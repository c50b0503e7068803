"""Facets are read from whatever names them: labels, annotations, or the data itself."""

import json
from pathlib import Path
from typing import Any

import pytest

from tarsy_ingest.intake.facets import Facets, facets_of, owner_of_pod
from tarsy_ingest.intake.json_fields import objects_in

SAMPLES = Path(__file__).parent / "samples"


def facets(value: Any) -> Facets:
    return facets_of([found.fields for found in objects_in(json.dumps(value))])


def test_labels_name_the_facets(samples: dict[str, Any]) -> None:
    found = facets({"labels": samples["firing"]["alerts"][0]["labels"], "annotations": {}})
    assert found == Facets(severity="warning", cluster="lab", namespace="shop", workload="checkout")


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"namespace": "shop", "deployment": "cart"}, Facets(namespace="shop", workload="cart")),
        ({"Severity": "P1", "cluster_name": "eu-1"}, Facets(severity="P1", cluster="eu-1")),
        ({"annotations": {"cluster": "eu-1"}}, Facets(cluster="eu-1")),
        ({"payload": {"severity": "error", "custom_details": {"namespace": "a"}}}, Facets("error", namespace="a")),
        ([{"labels": {"namespace": "shop"}}], Facets(namespace="shop")),
        ({"labels": {"namespace": "monitoring", "exported_namespace": "shop"}}, Facets(namespace="shop")),
        ({"attributes": {"k8s.namespace.name": "shop", "k8s.pod.name": "db-0"}}, Facets(None, None, "shop", "db")),
        ({"labels": {"job": "kube-state-metrics", "job_name": "backup-28394040"}}, Facets(workload="backup")),
        ({"labels": {"replicaset": "cart-7d9f8b6c54"}}, Facets(workload="cart")),
        ({"labels": {"statefulset": "db", "pod": "other-0"}}, Facets(workload="db")),
    ],
)
def test_a_facet_is_found_where_senders_write_it(data: Any, expected: Facets) -> None:
    assert facets(data) == expected


@pytest.mark.parametrize(
    "data",
    [
        {"namespace": 5, "cluster": None, "severity": ["high"], "workload": {"name": "x"}},
        {"namespace": "two\nlines", "cluster": "x" * 254, "severity": " ", "workload": ""},
        {"labels": "namespace=shop", "deeper": {"namespace": "shop"}},
        [{"namespace": "a"}, {"namespace": "b"}],
        "namespace",
        None,
    ],
)
def test_what_is_no_name_is_left_out(data: Any) -> None:
    assert facets(data) == Facets()


@pytest.mark.parametrize("text", ["namespace: shop", "{", "", "{]", "[1, 2]"])
def test_text_has_no_facets(text: str) -> None:
    assert facets_of([found.fields for found in objects_in(text)]) == Facets()


@pytest.mark.parametrize(
    ("pod", "owner"),
    [
        ("checkout-7d9f8b6c54-x2x4z", "checkout"),
        ("node-exporter-x2x4z", "node-exporter"),
        ("db-0", "db"),
        ("backup-28394040-x2x4z", "backup"),
        ("web-cache", "web-cache"),
        ("toolbox", "toolbox"),
    ],
)
def test_a_pod_stands_for_what_it_is_of(pod: str, owner: str) -> None:
    assert owner_of_pod(pod) == owner
