"""Rules of Prometheus and dashboards of Grafana name metrics that there are, and each other."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from grafana_foundation_sdk.models import dashboard as grafana
from grafana_foundation_sdk.models import units

from tarsy_docgen.metric_labels import VALUES
from tarsy_docgen.metrics_page import all_metrics
from tarsy_testing.dashboards import Dashboard, dashboards
from tarsy_testing.promql import Selector, grouping_labels, selectors, without_series_end

ROOT = Path(__file__).parents[3]
METRICS = all_metrics()
DASHBOARDS = dashboards()
GROUPS = yaml.safe_load((ROOT / "deploy/prometheus/tarsy-rules.yaml").read_text("utf-8"))["groups"]
RULES: list[dict[str, Any]] = [rule for group in GROUPS for rule in group["rules"]]
RECORDED: dict[str, str] = {rule["record"]: rule["expr"] for rule in RULES if "record" in rule}
ALERTS: dict[str, dict[str, Any]] = {rule["alert"]: rule for rule in RULES if "alert" in rule}
TARGET = {"job", "instance"}
OF_OTHERS: dict[str, set[str]] = {
    "up": TARGET,
    "ALERTS": {"alertname", "alertstate", "severity"},
    "process_start_time_seconds": TARGET,
    "process_cpu_seconds_total": TARGET,
    "process_resident_memory_bytes": TARGET,
    "process_open_fds": TARGET,
}
"""Metrics of Prometheus, and of its client for Python, with their labels."""
SETTING = re.compile(r"\bTARSY_[A-Z_]+\b")
PAGE = re.compile(r"docs/operations/[\w-]+\.md")
UNITS = {value for name, value in vars(units).items() if name[0].isupper() and isinstance(value, str)}


def labels_of(name: str) -> set[str]:
    """The labels that a series of this name may have."""
    if name in RECORDED:
        return grouping_labels(RECORDED[name]) - {"le"} or labels_of(next(selectors(RECORDED[name])).name)
    if name in OF_OTHERS:
        return OF_OTHERS[name]
    histogram = without_series_end(name)
    if histogram in METRICS and METRICS[histogram].type == "histogram" and name != histogram:
        return {*METRICS[histogram].labels, *TARGET, *(["le"] if name.endswith("_bucket") else [])}
    assert name in METRICS, f"there is no metric {name}"
    assert METRICS[name].type != "histogram", f"{name} has the series _bucket, _sum and _count"
    return {*METRICS[name].labels, *TARGET}


def check_values(one: Selector) -> None:
    for label, value in one.matchers.items():
        assert label in labels_of(one.name), f"{one.name} has no label {label}"
        known = VALUES.get((without_series_end(one.name), label))
        if known is not None and value != "5..":
            assert set(value.split("|")) <= set(known), f"{one.name}: {label} is never {value}"


def check_expression(expr: str) -> None:
    found = list(selectors(expr))
    assert found, expr
    for one in found:
        check_values(one)
    every = {label for one in found for label in labels_of(one.name)}
    assert grouping_labels(expr) <= every, f"{expr} groups by what none of its metrics has"


EXPRESSIONS = [*(rule["expr"] for rule in RULES), *(expr for one in DASHBOARDS for expr in one.expressions)]


@pytest.mark.parametrize("expr", EXPRESSIONS)
def test_every_expression_names_metrics_labels_and_values_that_there_are(expr: str) -> None:
    check_expression(expr)


@pytest.mark.parametrize(
    "wrong",
    [
        "sum(tarsy_orchestrator_session_open)",
        "sum by (model) (tarsy_orchestrator_sessions_open)",
        'rate(tarsy_orchestrator_llm_calls_total{outcome="okay"}[5m])',
        'rate(tarsy_orchestrator_llm_calls_total{server="any"}[5m])',
        "rate(tarsy_timeline_projection_duration_seconds[5m])",
        "job:tarsy_nothing:ratio > 1",
    ],
)
def test_an_expression_that_names_what_there_is_not_is_found(wrong: str) -> None:
    with pytest.raises(AssertionError):
        check_expression(wrong)


def test_every_recording_rule_is_used() -> None:
    used = {one.name for expr in EXPRESSIONS for one in selectors(expr)}
    assert RECORDED.keys() <= used


@pytest.mark.parametrize("name", RECORDED)
def test_a_recording_rule_says_in_its_name_which_labels_it_keeps(name: str) -> None:
    assert set(name.split(":")[0].split("_")) == labels_of(name)


@pytest.mark.parametrize("name", ALERTS)
def test_every_alert_says_what_it_means_and_has_a_page_that_names_it(name: str) -> None:
    rule = ALERTS[name]
    notes = rule["annotations"]
    assert rule["labels"]["severity"] in {"critical", "warning"}
    assert notes.keys() == {"summary", "description", "page"}
    assert name in (ROOT / notes["page"]).read_text("utf-8").partition("## What it means")[0]
    known = {label for one in selectors(rule["expr"]) for label in labels_of(one.name)}
    kept = grouping_labels(rule["expr"]) or known
    assert set(re.findall(r"\$labels\.(\w+)", str(notes))) <= kept


def test_every_alert_is_tried_out_and_stands_in_the_list() -> None:
    tried = (ROOT / "deploy/prometheus/tarsy-rules-test.yaml").read_text("utf-8")
    operations = (ROOT / "docs/operations/README.md").read_text("utf-8")
    for name, rule in ALERTS.items():
        assert f'alertname="{name}"' in tried
        assert f"[{name}]({Path(rule['annotations']['page']).name})" in operations


@pytest.mark.parametrize("dashboard", DASHBOARDS, ids=lambda one: one.uid)
def test_every_panel_has_a_title_a_unit_and_a_sentence_that_says_what_to_do(dashboard: Dashboard) -> None:
    settings = (ROOT / "docs/reference/settings.md").read_text("utf-8")
    titles = [(panel.row, panel.title) for panel in dashboard.panels]
    assert len(titles) == len(set(titles))
    for panel in dashboard.panels:
        assert panel.unit in UNITS, f"Grafana knows no unit {panel.unit}"
        assert panel.description.endswith(".")
        assert panel.description[0].isupper()
        assert all((ROOT / page).is_file() for page in PAGE.findall(panel.description))
        assert all(f"`{setting}`" in settings for setting in SETTING.findall(panel.description))
        assert panel.queries
        for expr, legend in panel.queries:
            shown = set(re.findall(r"\{\{(\w+)\}\}", legend))
            assert legend
            assert shown <= (grouping_labels(expr) or labels_of(next(selectors(expr)).name))


def test_dashboards_and_their_panels_have_identities_of_their_own() -> None:
    assert len({one.uid for one in DASHBOARDS}) == len({one.content["title"] for one in DASHBOARDS}) == 3
    for one in DASHBOARDS:
        assert "id" not in one.content
        numbers = [panel["id"] for panel in one.content["panels"]]
        assert len(numbers) == len(set(numbers))


@pytest.mark.parametrize("dashboard", DASHBOARDS, ids=lambda one: one.uid)
def test_panels_fill_the_grid_and_none_lies_on_another(dashboard: Dashboard) -> None:
    taken: set[tuple[int, int]] = set()
    for panel in dashboard.content["panels"]:
        place = panel["gridPos"]
        assert place["x"] + place["w"] <= 24
        cells = {(place["x"] + x, place["y"] + y) for x in range(place["w"]) for y in range(place["h"])}
        assert not cells & taken
        taken |= cells


@pytest.mark.parametrize("dashboard", DASHBOARDS, ids=lambda one: one.uid)
def test_no_host_stands_in_a_dashboard_and_every_query_asks_the_chosen_source(dashboard: Dashboard) -> None:
    variables = {one["name"] for one in dashboard.variables}
    text = json.dumps(dashboard.content)
    assert not re.search(r"https?://|localhost|\b\d+\.\d+\.\d+\.\d+\b", text)
    assert set(re.findall(r'~\\"\$(\w+)\\"', text)) | {"datasource"} == variables
    targets = [target for panel in dashboard.content["panels"] for target in panel.get("targets", [])]
    assert {target["datasource"]["uid"] for target in targets} == {"${datasource}"}


@pytest.mark.parametrize("dashboard", DASHBOARDS, ids=lambda one: one.uid)
def test_grafana_s_own_model_reads_a_dashboard_and_loses_nothing(dashboard: Dashboard) -> None:
    made = dashboard.content
    read = json.loads(json.dumps(grafana.Dashboard.from_json(made), default=lambda one: one.to_json()))
    assert missing(made, read) == []


def missing(made: Any, read: Any, at: str = "dashboard") -> list[str]:
    """Where the model says something else, or nothing. It may say more: its defaults."""
    if isinstance(made, dict) and isinstance(read, dict):
        return [lost for key, value in made.items() for lost in missing(value, read.get(key), f"{at}.{key}")]
    if isinstance(made, list) and isinstance(read, list) and len(made) == len(read):
        pairs = enumerate(zip(made, read, strict=True))
        return [lost for number, (one, other) in pairs for lost in missing(one, other, f"{at}[{number}]")]
    return [] if made == read else [at]


@pytest.mark.parametrize("dashboard", DASHBOARDS, ids=lambda one: one.uid)
def test_a_query_has_the_choice_of_job_instance_and_service_where_there_is_the_label(dashboard: Dashboard) -> None:
    variables = {one["name"] for one in dashboard.variables}
    for expr in dashboard.expressions:
        for one in selectors(expr):
            chosen = {label for label, value in one.matchers.items() if value == f"${label}"}
            # A target that is down shows no instance that could be chosen.
            labels = {"job"} if one.name in {"up", "ALERTS"} else labels_of(one.name)
            assert chosen == (set() if one.name == "ALERTS" else labels & variables), f"{one.name} in {expr}"
