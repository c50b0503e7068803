"""`tarsy config route` says which chain investigates an alert, with the configuration of `several-clusters.md`."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tarsy_cli.app import cli

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs/how-to/several-clusters.md"


@pytest.fixture
def config(tmp_path: Path) -> Path:
    (block,) = re.findall(r"^```yaml\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    (tmp_path / "tarsy.yaml").write_text(block, "utf-8")
    return tmp_path


def webhook(status: str, **labels: str) -> dict[str, Any]:
    alert = {
        "status": status,
        "labels": {"alertname": "DiskFull", **labels},
        "startsAt": "2026-11-28T02:14:00Z",
        "endsAt": "2026-11-28T03:14:00Z",
    }
    return {"version": "4", "status": status, "alerts": [alert]}


@pytest.mark.parametrize(
    ("sent", "line"),
    [
        (webhook("firing", cluster="us-1"), 'DiskFull: chain us, chosen by cluster="us-1"'),
        (webhook("firing", kubernetes_cluster="eu-7"), 'DiskFull: chain eu, chosen by cluster=~"eu-.*"'),
        (webhook("firing", cluster="ap-1"), "DiskFull: chain others, no chain matched, so the default"),
        (webhook("resolved", cluster="us-1"), "not an alert to investigate: it is resolved, or changes nothing"),
        ({"alert_type": "kubernetes", "data": "x", "title": "t"}, "t: chain others, chosen by alert type kubernetes"),
        ({"title": "[Triggered] t", "org": {"id": 1}, "event_type": "e", "cluster": "us-1"},
         '[Triggered] t: chain us, chosen by cluster="us-1"'),
    ],
)  # fmt: skip
def test_it_names_the_chain_and_the_rule(config: Path, tmp_path: Path, sent: dict[str, Any], line: str) -> None:
    (tmp_path / "alert.json").write_text(json.dumps(sent), "utf-8")
    told = CliRunner().invoke(cli, ["config", "route", str(tmp_path / "alert.json"), "--config", str(config)])
    assert (told.exit_code, told.output.strip()) == (0, line)


def test_what_is_no_alert_is_said_with_its_reason(config: Path, tmp_path: Path) -> None:
    (tmp_path / "alert.json").write_text('{"alerts": [{}], "version": "4"}', "utf-8")
    told = CliRunner().invoke(cli, ["config", "route", str(tmp_path / "alert.json"), "--config", str(config)])
    assert told.exit_code == 1
    assert "/alerts/0/status" in told.output


@pytest.mark.parametrize(
    "alert", sorted(ROOT.glob("examples/incidents/*/alert.json")), ids=lambda path: path.parent.name
)
def test_a_chain_of_the_checkout_names_each_alert_of_the_demo(alert: Path) -> None:
    told = CliRunner().invoke(cli, ["config", "route", str(alert), "--config", str(ROOT / "config")])
    assert (told.exit_code, "chosen by alert type" in told.output) == (0, True), told.output
