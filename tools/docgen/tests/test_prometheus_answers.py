"""A real Prometheus scrapes every metric with every known value, and answers every query of the dashboards with data.

Debian's package `prometheus` has it, and promtool.
"""

import asyncio
import re
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from itertools import product
from pathlib import Path
from typing import Any

import httpx2
import pytest
from aiohttp import web
from pydantic import JsonValue

from tarsy_docgen.metric_labels import VALUES
from tarsy_docgen.metrics_page import Shown, all_metrics
from tarsy_processes.ports import free_port
from tarsy_testing.dashboards import dashboards
from tarsy_testing.real_servers import eventually
from tarsy_testing.servers.prometheus import prometheus
from tarsy_testing.servers.ready_server import LIMIT_SECONDS

RULES = Path(__file__).parents[3] / "deploy/prometheus/tarsy-rules.yaml"
BOUNDS = ("0.25", "1", "60", "+Inf")
CHOSEN = {
    "$__rate_interval": "1m",
    "$__range": "1h",
    "$job": "tarsy",
    "$instance": ".+",
    "$service": "ingest|any",
}
LABEL_VALUES = re.compile(r"label_values\((?P<selector>.+), (?P<label>\w+)\)")
ANY = {"status": ("500",)}


def page(now: float) -> str:
    """Every series that TARSy's metrics may have; counters rise by themselves."""
    of_process = [f"process_{name} {now}\n" for name in ("cpu_seconds_total", "resident_memory_bytes", "open_fds")]
    return "".join([f"process_start_time_seconds {now}\n", *of_process, *_samples(now)])


def _samples(now: float) -> Iterator[str]:
    for shown in all_metrics().values():
        for values in product(*(VALUES.get((shown.name, label), ANY.get(label, ("any",))) for label in shown.labels)):
            labels = [f'{label}="{value}"' for label, value in zip(shown.labels, values, strict=True)]
            yield from _histogram(shown, labels, now) if shown.type == "histogram" else _plain(shown, labels, now)


def _histogram(shown: Shown, labels: list[str], now: float) -> Iterator[str]:
    for bound in BOUNDS:
        yield f"{shown.name}_bucket{{{','.join([*labels, f'le="{bound}"'])}}} {now:.3f}\n"
    for end in ("sum", "count"):
        yield f"{shown.name}_{end}{{{','.join(labels)}}} {now:.3f}\n"


def _plain(shown: Shown, labels: list[str], now: float) -> Iterator[str]:
    yield f"{shown.name}{{{','.join(labels)}}} {now if shown.type == 'counter' else 0:.3f}\n"


class AskedPrometheus:
    def __init__(self, client: httpx2.AsyncClient) -> None:
        self._client = client

    async def answer(self, query: str) -> list[Any]:
        """The series of the answer. An error, or a warning, is a failure."""
        told = (await self._client.get("/api/v1/query", params={"query": query})).json()
        assert told["status"] == "success", f"{query}: {told}"
        assert not told.get("warnings"), f"{query}: {told}"
        found: list[Any] = told["data"]["result"]
        return found

    async def values(self, variable: str) -> list[str]:
        """The choice that Grafana offers for a variable, asked as Grafana asks."""
        found = LABEL_VALUES.fullmatch(variable)
        assert found is not None, variable
        answer = await self._client.get(f"/api/v1/label/{found['label']}/values", params={"match[]": found["selector"]})
        values: list[str] = answer.json()["data"]
        return values

    async def rules(self) -> list[dict[str, Any]]:
        told = (await self._client.get("/api/v1/rules")).json()
        return [rule for group in told["data"]["groups"] for rule in group["rules"]]


@pytest.fixture
async def scraped() -> AsyncIterator[int]:
    async def metrics(_: web.Request) -> web.Response:
        return web.Response(text=page(time.time()))

    app = web.Application()
    app.router.add_get("/metrics", metrics)
    runner, port = web.AppRunner(app), free_port()
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port).start()
    yield port
    await runner.cleanup()


@pytest.fixture
async def prometheus_asked(tmp_path: Path, scraped: int) -> AsyncIterator[AskedPrometheus]:
    targets: JsonValue = [{"targets": [f"127.0.0.1:{scraped}"]}]
    config: dict[str, JsonValue] = {
        "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
        "rule_files": [str(RULES)],
        "scrape_configs": [{"job_name": "tarsy", "honor_labels": True, "static_configs": targets}],
    }
    async with prometheus(config, tmp_path) as client:
        yield AskedPrometheus(client)


def fill_in(query: str) -> str:
    for variable, value in CHOSEN.items():
        query = query.replace(variable, value)
    return query


async def test_every_query_of_the_dashboards_finds_data_and_every_rule_is_evaluated(
    prometheus_asked: AskedPrometheus,
) -> None:
    unanswered = [fill_in(query) for one in dashboards() for query in one.expressions]

    async def all_found() -> bool:
        nonlocal unanswered
        unanswered = [query for query in unanswered if not await prometheus_asked.answer(query)]
        return unanswered == []

    async def all_evaluated() -> bool:
        return {rule["health"] for rule in await prometheus_asked.rules()} == {"ok"}

    with suppress(TimeoutError):
        async with asyncio.timeout(LIMIT_SECONDS):
            await eventually(all_found, "every query finds data", seconds=2 * LIMIT_SECONDS)
    assert unanswered == []
    variables = [one for each in dashboards() for one in each.variables]
    choices = {one["name"]: fill_in(one["query"]["query"]) for one in variables if one["type"] == "query"}
    offered = {name: await prometheus_asked.values(query) for name, query in choices.items()}
    assert {name: len(values) for name, values in offered.items()} == {"job": 1, "instance": 1, "service": 1}
    await eventually(all_evaluated, "no rule has an error", seconds=LIMIT_SECONDS)
