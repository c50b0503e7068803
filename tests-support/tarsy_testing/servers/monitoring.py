"""Prometheus and Alertmanager around a running TARSy, with the configuration that deploy/ has."""

import re
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx2
import yaml
from pydantic import JsonValue

from tarsy_testing.dashboards import dashboards
from tarsy_testing.promql import selectors, without_series_end
from tarsy_testing.real_servers import eventually
from tarsy_testing.servers.alertmanager import alertmanager
from tarsy_testing.servers.prometheus import ROOT, prometheus
from tarsy_testing.servers.ready_server import LIMIT_SECONDS

RULES = ROOT / "deploy/prometheus/tarsy-rules.yaml"
PROMETHEUS = ROOT / "deploy/prometheus/prometheus-processes.yaml"
ALERTMANAGER = ROOT / "deploy/compose/alertmanager.yaml"
INCREASE = re.compile(r"increase\(([^\[]+)\[\d+\w\]")
CHOSEN = {"$__rate_interval": "1m", "$__range": "1h", "$job": "tarsy", "$instance": ".+", "$service": ".+"}
OF_PROMETHEUS = {"up", "ALERTS"}


def expressions() -> list[str]:
    """Every expression of the rules, and every query of the dashboards."""
    return [*_rules(), *queries()]


def increasing() -> set[str]:
    """The series whose increase rules wait for. From nothing to one is none: they have to count from zero."""
    return {series for one in _rules() for series in INCREASE.findall(one)}


def queries() -> list[str]:
    """The queries of the dashboards, with everything chosen."""
    return [_fill_in(query) for one in dashboards() for query in one.expressions]


def named_metrics() -> set[str]:
    """Metrics that rules and dashboards need, but for those that Prometheus and the rules make."""
    recorded = {rule.get("record") for group in _rule_groups() for rule in group["rules"]}
    series = {one.name for expression in expressions() for one in selectors(expression)}
    return {family(name) for name in series - recorded - OF_PROMETHEUS}


def family(series: str) -> str:
    """The name of a metric, without the ends that its series may have."""
    return without_series_end(series).removesuffix("_total")


def _rules() -> list[str]:
    return [rule["expr"] for group in _rule_groups() for rule in group["rules"]]


def _rule_groups() -> list[dict[str, Any]]:
    groups: list[dict[str, Any]] = yaml.safe_load(RULES.read_text("utf-8"))["groups"]
    return groups


def _fill_in(query: str) -> str:
    for variable, value in CHOSEN.items():
        query = query.replace(variable, value)
    return query


@dataclass(frozen=True)
class Monitoring:
    prometheus: httpx2.AsyncClient
    alertmanager: httpx2.AsyncClient

    async def send(self, alerts: list[dict[str, Any]]) -> None:
        """Alerts that Alertmanager takes as from Prometheus, and that begin now."""
        now = datetime.now(UTC).isoformat()
        kept = ("labels", "annotations", "generatorURL")
        body = [{name: one[name] for name in kept if name in one} | {"startsAt": now} for one in alerts]
        (await self.alertmanager.post("/api/v2/alerts", json=body)).raise_for_status()

    async def scraped_metrics(self) -> set[str]:
        """Metrics that the targets told of, also those that have no sample yet."""
        told: dict[str, JsonValue] = (await self.prometheus.get("/api/v1/metadata")).json()["data"]
        return {family(name) for name in told}

    async def refused_queries(self) -> list[str]:
        """Queries of the dashboards, and rules, that Prometheus answers with an error or a warning."""
        answers = {
            query: (await self.prometheus.get("/api/v1/query", params={"query": query})).json() for query in queries()
        }
        told = (await self.prometheus.get("/api/v1/rules")).json()["data"]["groups"]
        ill = [str(rule["name"]) for group in told for rule in group["rules"] if rule["health"] == "err"]
        return [query for query, one in answers.items() if one["status"] != "success" or one.get("warnings")] + ill


@asynccontextmanager
async def monitoring(front_door: str, targets: int, folder: Path) -> AsyncIterator[Monitoring]:
    """Both are ready, and so many targets have been scraped. `front_door`: HOST:PORT of `tarsy up --processes`."""
    async with alertmanager(_alertmanager_config(front_door), folder) as receiver:
        address = f"127.0.0.1:{receiver.base_url.port}"
        shutil.copy(RULES, folder)
        async with prometheus(_prometheus_config(front_door, address), folder) as client:
            one = Monitoring(client, receiver)
            await eventually(lambda: _are_up(client, targets), "every target is up", seconds=LIMIT_SECONDS)
            yield one


def _prometheus_config(front_door: str, alertmanager: str) -> dict[str, JsonValue]:
    config: dict[str, JsonValue] = yaml.safe_load(
        PROMETHEUS.read_text("utf-8").replace("127.0.0.1:8080", front_door).replace("15s", "2s")
    )
    alerting: JsonValue = {"alertmanagers": [{"static_configs": [{"targets": [alertmanager]}]}]}
    return config | {"alerting": alerting}


async def _are_up(client: httpx2.AsyncClient, number: int) -> bool:
    active = (await client.get("/api/v1/targets")).json()["data"]["activeTargets"]
    return len(active) == number and all(target["health"] == "up" for target in active)


def _alertmanager_config(front_door: str) -> str:
    text = ALERTMANAGER.read_text("utf-8").replace("http://ingest:8080", f"http://{front_door}")
    return text.replace("group_wait: 10s", "group_wait: 1s")
