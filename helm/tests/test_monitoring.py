"""Rules and dashboards of the chart are those of deploy/, and find what the chart runs."""

import json
import re

import yaml

from tarsy_local.service_settings import SETTINGS
from tarsy_testing.chart import ROOT, at, component_of, of_kind, rendered


def test_the_rules_are_those_of_deploy() -> None:
    (rule,) = of_kind("everything", "PrometheusRule").values()
    assert rule["spec"] == yaml.safe_load((ROOT / "deploy/prometheus/tarsy-rules.yaml").read_text("utf-8"))


def test_the_dashboards_are_those_of_deploy() -> None:
    found = {
        name: text
        for one in rendered("everything")
        if one["kind"] == "ConfigMap" and component_of(one) == "monitoring"
        for name, text in at(one, "data", dict).items()
    }
    files = {file.name: file.read_text("utf-8") for file in (ROOT / "deploy/grafana/dashboards").glob("*.json")}
    assert {name: json.loads(text) for name, text in found.items()} == {
        name: json.loads(text) for name, text in files.items()
    }


def test_the_service_monitor_finds_every_service_under_a_job_that_the_rules_look_for() -> None:
    (monitor,) = of_kind("everything", "ServiceMonitor").values()
    wanted = at(monitor, "spec.selector.matchLabels", dict)
    left_out = at(monitor, "spec.selector.matchExpressions.0.values", list)
    services = [one for one in rendered("everything") if one["kind"] == "Service" and component_of(one) not in left_out]
    assert {component_of(one) for one in services} == SETTINGS.keys()
    for one in services:
        labels = at(one, "metadata.labels", dict)
        assert wanted.items() <= labels.items()
        assert re.fullmatch("tarsy.*", labels[at(monitor, "spec.jobLabel", str)])
        assert at(one, "spec.ports.0.name", str) == at(monitor, "spec.endpoints.0.port", str)
