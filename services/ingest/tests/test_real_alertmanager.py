"""A real Prometheus and a real Alertmanager fire, group, repeat and resolve, also while Kafka is away."""

import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
import yaml
from fastapi import FastAPI, Response
from ingest_running import Records, StartIngest, alert_in, session_of

from tarsy_bus.client.connection import Bus
from tarsy_bus.readers.records import delivery
from tarsy_bus.topics.topics_admin import apply_topics
from tarsy_processes.ports import free_port
from tarsy_service.http.server import http_server
from tarsy_testing.programs import require_programs
from tarsy_testing.real_servers import bus_of_tests, eventually
from tarsy_testing.servers.alertmanager import PROGRAM, alertmanager
from tarsy_testing.servers.outage import KillableKafka, killable_kafka
from tarsy_testing.servers.prometheus import prometheus

OUTAGE_SECONDS = 30.0
LIMIT_SECONDS = 180.0
RULE = {
    "alert": "ShopDown",
    # A scrape that a busy machine did not answer in time is no end of an alert, after which another one begins.
    "expr": "last_over_time(shop_down[10m]) == 1",
    "labels": {"severity": "critical", "namespace": "shop"},
    "annotations": {"summary": "{{ $labels.pod }} is down"},
}


class Shop:
    """What Prometheus scrapes: pods that are up or down."""

    def __init__(self) -> None:
        self.down: dict[str, bool] = {}

    def app(self) -> FastAPI:
        app = FastAPI()

        @app.get("/metrics")
        async def metrics() -> Response:
            lines = [f'shop_down{{pod="{pod}"}} {int(down)}\n' for pod, down in self.down.items()]
            return Response("".join(lines), media_type="text/plain; version=0.0.4")

        return app


@pytest.fixture
def limits() -> None:
    """Those of production: a sender that is not answered before them gives up."""


@pytest.fixture
async def kafka(tmp_path: Path) -> AsyncIterator[KillableKafka]:
    require_programs(PROGRAM)
    async with killable_kafka(tmp_path / "kafka") as kafka:
        yield kafka


@pytest.fixture
async def bus(kafka: KillableKafka) -> Bus:
    bus = bus_of_tests(kafka.bootstrap, "tarsy")
    await apply_topics(bus)
    return bus


@asynccontextmanager
async def monitored(shop: Shop, ingest: FastAPI, folder: Path) -> AsyncIterator[httpx2.AsyncClient]:
    """The shop is scraped each second, and what fires goes to the ingest, over HTTP."""
    door, target = free_port(), free_port()
    receiver = {"url": f"http://127.0.0.1:{door}/api/v1/alerts/alertmanager", "send_resolved": True}
    route = {"receiver": "tarsy", "group_by": ["alertname"], "group_wait": "1s", "group_interval": "2s"}
    notifying = {
        "route": route | {"repeat_interval": "4s"},
        "receivers": [{"name": "tarsy", "webhook_configs": [receiver]}],
    }
    (folder / "rules.yaml").write_text(yaml.safe_dump({"groups": [{"name": "shop", "rules": [RULE]}]}), "utf-8")
    async with (
        http_server(ingest, "127.0.0.1", door),
        http_server(shop.app(), "127.0.0.1", target),
        alertmanager(yaml.safe_dump(notifying), folder) as notifier,
    ):
        scraping: Any = {
            "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
            "rule_files": ["rules.yaml"],
            "scrape_configs": [{"job_name": "shop", "static_configs": [{"targets": [f"127.0.0.1:{target}"]}]}],
            "alerting": {"alertmanagers": [{"static_configs": [{"targets": [f"127.0.0.1:{notifier.base_url.port}"]}]}]},
        }
        async with prometheus(scraping, folder):
            yield notifier


class Inbox:
    """What has come in for each pod: its session, how often it fired, and whether it was resolved."""

    def __init__(self, bus: Bus, records: Records) -> None:
        self._bus = bus
        self._records = records

    async def fired(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for record in await self._records(self._bus.topics.inbox):
            if delivery(record).envelope.type == "alert.received":
                found.setdefault(alert_in(record).title.removesuffix(" is down"), []).append(session_of(record))
        return found

    async def resolved(self) -> set[str]:
        found = await self._records(self._bus.topics.inbox)
        return {session_of(one) for one in found if delivery(one).envelope.type == "alert.resolution_reported"}

    async def until_fired(self, times: Mapping[str, int]) -> dict[str, list[str]]:
        async def have() -> dict[str, list[str]] | None:
            found = await self.fired()
            return found if all(len(found.get(pod, ())) >= least for pod, least in times.items()) else None

        return await eventually(have, f"alerts of {', '.join(times)}", seconds=LIMIT_SECONDS)


async def failed_requests(notifier: httpx2.AsyncClient) -> float:
    lines = (await notifier.get("/metrics")).text.splitlines()
    name = 'alertmanager_notification_requests_failed_total{integration="webhook"}'
    return sum(float(line.removeprefix(name)) for line in lines if line.startswith(name))


@pytest.mark.timing
async def test_nothing_that_fires_or_ends_in_an_outage_of_kafka_is_lost(
    kafka: KillableKafka, bus: Bus, start_ingest: StartIngest, records: Records, tmp_path: Path
) -> None:
    shop, inbox = Shop(), Inbox(bus, records)
    shop.down = {"cart": True, "pay": True}
    async with start_ingest() as ingest, monitored(shop, ingest.app, tmp_path) as notifier:
        # One group, one session for each alert; repeats meet it.
        before = await inbox.until_fired({"cart": 2, "pay": 2})
        assert {pod: len(set(sessions)) for pod, sessions in before.items()} == {"cart": 1, "pay": 1}

        await kafka.kill()
        ends = time.monotonic() + OUTAGE_SECONDS
        shop.down = {"cart": False, "pay": True, "mail": True}

        async def has_tried_all_the_time() -> bool:
            return await failed_requests(notifier) >= 2 and time.monotonic() >= ends

        await eventually(has_tried_all_the_time, "Alertmanager could not deliver", seconds=LIMIT_SECONDS)
        await kafka.restart()

        after = await inbox.until_fired({"cart": 2, "pay": 3, "mail": 1})
        assert {pod: len(set(sessions)) for pod, sessions in after.items()} == {"cart": 1, "pay": 1, "mail": 1}

        async def is_resolved() -> bool:
            return await inbox.resolved() == set(before["cart"])

        await eventually(is_resolved, "the end of an alert is told after the outage", seconds=LIMIT_SECONDS)
        assert ingest.counted("alertmanager", "refused") == 0
