"""All metrics follow one rule, fit one registry, and stand on one page; what names them, names what there is."""

import re
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry
from prometheus_client.parser import text_string_to_metric_families

from tarsy_docgen.metric_labels import LABELS, VALUES
from tarsy_docgen.metrics_page import (
    MODEL_CALLS,
    OURS,
    RULE,
    SECTIONS,
    UNITS,
    Shown,
    all_metrics,
    metrics_of,
    metrics_page,
)
from tarsy_docgen.settings_table import settings_page
from tarsy_local.composition import all_services
from tarsy_service.http.metrics import HttpMetrics
from tarsy_service.telemetry.loop_lag import LoopLag
from tarsy_service.telemetry.loop_metrics import LoopMetrics
from tarsy_service.telemetry.process_metrics import ProcessMetrics, exposition

ROOT = Path(__file__).parents[3]
NOT_BASE_UNITS = {"ms", "millis", "milliseconds", "minutes", "hours", "kb", "mb", "kilobytes", "megabytes", "percent"}
TYPES = {"counter", "gauge", "histogram", "summary"}
SERIES = ("_bucket", "_sum", "_count")
METRICS = all_metrics()


@pytest.fixture
def together(monkeypatch: pytest.MonkeyPatch) -> CollectorRegistry:
    """What `tarsy up` shows: all services, built as it builds them, and what the process shows of itself."""
    monkeypatch.setenv("TARSY_DATABASE", "postgresql://nobody:nothing@127.0.0.1:1/none")
    monkeypatch.setenv("TARSY_CONFIG_DIR", str(ROOT / "config"))
    registry = CollectorRegistry()
    services = all_services(registry)
    ProcessMetrics(registry, [service.name for service in services], list)
    LoopMetrics(registry, {service.name: service.supervisor.loops for service in services})
    LoopLag(registry)
    HttpMetrics(registry)
    return registry


@pytest.mark.parametrize("shown", METRICS.values(), ids=METRICS.keys())
def test_every_name_of_ours_follows_the_rule(shown: Shown) -> None:
    if shown in metrics_of(SECTIONS[MODEL_CALLS]):
        assert shown.name.startswith("gen_ai_client_"), "the conventions' names are another rule"
        return
    rule = RULE.fullmatch(shown.name)
    assert rule is not None, f"{shown.name} does not follow the rule"
    assert (rule["end"] == "total") == (shown.type == "counter")
    assert (rule["end"] == "info") == (shown.type == "info")
    words = shown.name.split("_")
    assert not (NOT_BASE_UNITS | TYPES) & set(words)
    assert not shown.name.endswith(SERIES)
    assert not {"duration", "age", "lag"} & set(words) or rule["end"] in (*UNITS, "records")
    assert shown.meaning
    assert not shown.meaning.endswith(".")


@pytest.mark.parametrize("shown", METRICS.values(), ids=METRICS.keys())
def test_every_label_is_of_the_list_and_no_name_repeats_one(shown: Shown) -> None:
    assert set(shown.labels) <= LABELS.keys()
    assert not set(UNITS) & set(shown.labels)


HOPS = ["tarsy_process_hop_"]
"""Each service tells the hops that it sees."""


def test_every_metric_stands_in_the_section_of_its_service() -> None:
    page = metrics_page()
    for title in SECTIONS:
        section = page.partition(f"## {title}\n")[2].partition("\n## ")[0]
        named = re.findall(r"^\| `(\w+)`", section, re.MULTILINE)
        prefixes = ["process", "http", "kafka", "config"] if title == "Every service" else [_word(title)]
        assert named
        begins = ["gen_ai_"] if title == MODEL_CALLS else [f"tarsy_{prefix}_" for prefix in prefixes] + HOPS
        assert all(name.startswith(tuple(begins)) for name in named)


def test_the_services_of_one_process_collide_in_nothing(together: CollectorRegistry) -> None:
    text = exposition(together).decode()
    types = re.findall(r"^# TYPE (\S+)", text, re.MULTILINE)
    assert len(types) == len(set(types))
    known = {family.name for family in together.collect() if family.name.startswith(OURS)}
    of_services = [name for name in METRICS if not name.startswith("tarsy_front_door_")]
    assert known == {name.removesuffix("_total").removesuffix("_info") for name in of_services}


def test_what_they_begin_with_are_values_that_the_page_names(together: CollectorRegistry) -> None:
    found = 0
    for family in text_string_to_metric_families(exposition(together).decode()):
        for sample in family.samples:
            for label, value in sample.labels.items():
                name = sample.name if sample.name in METRICS else family.name
                values = VALUES.get((name, label))
                if values is not None:
                    found += 1
                    assert value in values, f"{name}: {label} is {value}"
    assert found > 50


def test_what_the_page_says_of_labels_is_said_of_metrics_that_there_are() -> None:
    assert all(label in METRICS[name].labels for name, label in VALUES)
    assert LABELS.keys() == {label for shown in METRICS.values() for label in shown.labels}


TROUBLES = re.findall(
    r"^\| (.+?) \| (`tarsy_.+?) \| (.+) \|$",
    (ROOT / "docs/operations/which-metric.md").read_text("utf-8"),
    re.MULTILINE,
)


@pytest.mark.parametrize(("when", "metrics", "what"), TROUBLES, ids=[when for when, _, _ in TROUBLES])
def test_a_trouble_is_told_by_metrics_settings_and_values_that_there_are(when: str, metrics: str, what: str) -> None:
    """Each word in code letters is a value of a label, or a topic, of one of the metrics that the line names."""
    named = set(re.findall(r"`(\w+)`", metrics))
    assert named <= METRICS.keys()
    assert all(f"`{name}`" in settings_page() for name in re.findall(r"TARSY_\w+", what))
    assert set(re.findall(r"`([\w-]+)`", what)) <= {
        value for (name, _), values in VALUES.items() if name in named for value in values
    }


def test_every_line_of_the_troubles_is_read() -> None:
    assert len(TROUBLES) > 15


@pytest.mark.parametrize("file", ["docs/operations/README.md", "deploy/prometheus/tarsy-rules-test.yaml"])
def test_what_is_written_by_hand_names_metrics_that_there_are(file: str) -> None:
    assert names_in((ROOT / file).read_text("utf-8")) <= METRICS.keys()


def test_the_page_in_the_repository_is_what_the_code_says() -> None:
    assert (ROOT / "docs/reference/metrics.md").read_text("utf-8") == metrics_page()


def names_in(text: str) -> set[str]:
    """A package's name, `tarsy_ingest`, is none."""
    packages = {f"tarsy_{_word(title)}" for title in SECTIONS}
    found = set(re.findall(r"\btarsy_[a-z_]+[a-z]\b", text)) - packages
    return {re.sub(f"({'|'.join(SERIES)})$", "", name) for name in found}


def _word(title: str) -> str:
    return title.lower().replace("-", "_").replace(" ", "_")
