"""Dashboards of Grafana as they are committed, and their parts that tests judge."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent.parent.parent / "deploy/grafana/dashboards"


@dataclass(frozen=True)
class Panel:
    """`description` is one sentence: what to do when it looks bad."""

    title: str
    description: str
    unit: str
    row: str
    queries: Sequence[tuple[str, str]]
    """Each with its legend."""


@dataclass(frozen=True)
class Dashboard:
    uid: str
    content: dict[str, Any]
    """As Grafana is given it."""

    @property
    def variables(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.content["templating"]["list"]
        return found

    @cached_property
    def panels(self) -> list[Panel]:
        found, row = [], ""
        for panel in self.content["panels"]:
            if panel["type"] == "row":
                row = panel["title"]
                continue
            queries = [(target["expr"], target["legendFormat"]) for target in panel["targets"]]
            unit = panel["fieldConfig"]["defaults"]["unit"]
            found.append(Panel(panel["title"], panel["description"], unit, row, queries))
        return found

    @property
    def expressions(self) -> list[str]:
        return [expr for panel in self.panels for expr, _ in panel.queries]


def dashboards() -> list[Dashboard]:
    read = [json.loads(file.read_text("utf-8")) for file in sorted(FOLDER.glob("*.json"))]
    return [Dashboard(content["uid"], content) for content in read]
